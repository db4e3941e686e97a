package agent

import "testing"

func TestLines(t *testing.T) {
	for _, c := range []struct {
		line, limit int
		want        string
	}{{0, 0, "a\nb\nc"}, {2, 0, "b\nc"}, {2, 1, "b\n"}, {9, 1, ""}, {-1, 1, "a\n"}} {
		if got := lines("a\nb\nc", c.line, c.limit); got != c.want {
			t.Errorf("from %d, %d lines: %q", c.line, c.limit, got)
		}
	}
}
