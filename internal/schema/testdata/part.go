package testdata

// Part is a part.
type Part struct {
	// Of several
	// lines.
	Kind  Size `json:"kind"`            // how large it is
	Count int  `json:"count,omitempty"` // of several
}

// Size is a named string.
type Size string

const (
	Small Size = "small"
	Large Size = "large"
)
