// Command echo-go is framed-go without its codec: every byte comes back unread.
package main

import "dyno/subjects/shared/goecho"

func main() { goecho.Main("echo-go", newAnswer) }

func newAnswer() goecho.Answer {
	return func(chunk, out []byte) ([]byte, error) { return append(out, chunk...), nil }
}
