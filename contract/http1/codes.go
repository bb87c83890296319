package http1

// CodeCounter counts replies by status. Sessions implement it.
type CodeCounter interface {
	// AddCodes adds to codes, by status, how many whole replies the session has seen since it was
	// made, right or wrong. It must not be called while a window runs; what one window brought is the
	// difference of two calls.
	AddCodes(codes map[int]int64)
}

type codeCount struct {
	status int
	count  int64
}

// count counts a reply. Most have the status of the one before.
func (s *session) count(status int) {
	if s.code < len(s.codes) && s.codes[s.code].status == status {
		s.codes[s.code].count++
		return
	}
	for i := range s.codes {
		if s.codes[i].status == status {
			s.code = i
			s.codes[i].count++
			return
		}
	}
	s.code = len(s.codes)
	s.codes = append(s.codes, codeCount{status, 1})
}

func (s *session) AddCodes(codes map[int]int64) {
	for _, c := range s.codes {
		codes[c.status] += c.count
	}
}

var _ CodeCounter = (*session)(nil)
