package dyno

import "testing"

func TestLoadsAreNamedAsPeopleCount(t *testing.T) {
	for want, l := range map[string]Load{
		"open loop":                {},
		"1 connection":             {Connections: 1, Depth: 1},
		"1 connection, open loop":  {Connections: 1},
		"32 connections, depth 16": {Connections: 32, Depth: 16},
		"1 user":                   {Users: 1},
		"3000 users":               {Users: 3000},
	} {
		if got := l.String(); got != want {
			t.Errorf("%+v is %q, want %q", l, got, want)
		}
	}
}
