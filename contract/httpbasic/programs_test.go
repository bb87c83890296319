package httpbasic

import (
	"bufio"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"dyno/contract/internal/fixture"
)

func remembersPaths(s *fixture.Server) fixture.Handler {
	var mu sync.Mutex
	known := map[string]*fixture.Reply{}
	return onPerson(func(id, query string) *fixture.Reply {
		mu.Lock()
		defer mu.Unlock()
		if known[id] == nil {
			known[id] = personOf(id, queryOf(query).Get("name"))
		}
		return known[id]
	})(s)
}

// withoutSpace drops white space outside of strings, and parses nothing.
func withoutSpace(text []byte) *fixture.Reply {
	var out []byte
	inString := false
	for i, c := range text {
		if c == '"' && (i == 0 || text[i-1] != '\\') {
			inString = !inString
		}
		if inString || !strings.ContainsRune(" \t\r\n", rune(c)) {
			out = append(out, c)
		}
	}
	return fixture.JSON(out)
}

// notFoundOnce gives away a reply that can be sent only once.
func notFoundOnce() fixture.App {
	var gone atomic.Bool
	return func(q *fixture.Request) *fixture.Reply {
		if app(q).Status == 404 && gone.Swap(true) {
			return fixture.Status(500)
		}
		return nil
	}
}

// strictSpelling forgets headers that are not spelled as browsers do.
func strictSpelling(name string) string {
	switch name {
	case "Content-Length", "Content-Type":
		return strings.ToLower(name)
	}
	return "other " + name
}

func readsHeaders(spelling func(string) string) fixture.Program {
	return func(*fixture.Server) fixture.Handler {
		return func(c *net.TCPConn) {
			r := bufio.NewReaderSize(c, 64<<10)
			for {
				q, err := fixture.ReadNamed(r, spelling)
				if err != nil {
					return
				}
				if q.Header["content-type"] == "" && q.Method == "POST" {
					continue // waits for a body that was taken for the next request
				}
				c.Write(app(q).Bytes())
			}
		}
	}
}

func reversed(replies [][]byte) [][]byte {
	slices.Reverse(replies)
	return replies
}
