// A module of its own, so that go-mc, the peer, is no dependency of dyno.
module dyno/bench/codec

go 1.26.0

require (
	dyno v0.0.0
	github.com/Tnze/go-mc v1.20.2
)

require (
	github.com/HdrHistogram/hdrhistogram-go v1.4.0 // indirect
	github.com/goccy/go-yaml v1.19.2 // indirect
	github.com/google/uuid v1.6.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace dyno => ../..

ignore (
	./.venv
	./node_modules
)
