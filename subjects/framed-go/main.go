// Command framed-go is the framed echo on package net: the row outside JavaScript. HOST and PORT
// say where it listens; SIGTERM stops it.
package main

import (
	"dyno/mpacket"
	"dyno/subjects/shared/delay"
	"dyno/subjects/shared/goecho"
)

func main() { goecho.Main("framed-go", newAnswer) }

// newAnswer returns what answers one connection: every frame is decoded and its payload encoded anew. The
// replies before a hostile length are still owed.
func newAnswer() goecho.Answer {
	var decoder mpacket.FrameDecoder
	return func(chunk, out []byte) ([]byte, error) {
		for len(chunk) > 0 {
			frame, taken, err := decoder.Next(chunk)
			if err != nil {
				return out, err
			}
			chunk = chunk[taken:]
			if frame != nil {
				if delay.Asked() {
					delay.Spend()
				}
				out = mpacket.AppendFrame(out, frame)
			}
		}
		return out, nil
	}
}
