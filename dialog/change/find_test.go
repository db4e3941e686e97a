package change

import (
	"slices"
	"testing"
	"time"
)

func TestFind(t *testing.T) {
	for _, c := range []struct {
		in, lines []string
		at, n     int
	}{
		{[]string{"a", "b", "c"}, []string{"a"}, 0, 1},
		{[]string{"a", "b", "c"}, []string{"b", "c"}, 1, 1},
		{[]string{"a", "b", "c"}, []string{"b", "d"}, 0, 0},
		{[]string{"ab", "b", ""}, []string{"b"}, 1, 1},
		{[]string{"a", "", ""}, []string{"", ""}, 1, 1},
		{[]string{"a", "a", "a"}, []string{"a", "a"}, 1, 2},
		{[]string{"a", "b", "a"}, []string{"a"}, 2, 2},
		{nil, []string{"a"}, 0, 0},
		{nil, []string{""}, 0, 0},
	} {
		if at, n := find(c.in, c.lines); at != c.at || n != c.n {
			t.Errorf("%q in %q: %d, %d", c.lines, c.in, at, n)
		}
	}
}

// A long run of equal lines takes no time that grows with its square.
func TestFindInEqualLines(t *testing.T) {
	in := slices.Repeat([]string{"}"}, 400_000)
	lines := append(slices.Clone(in[:200_000]), "end")
	began := time.Now()
	if _, n := find(in, lines); n != 0 || time.Since(began) > 5*time.Second {
		t.Errorf("%d after %v", n, time.Since(began))
	}
}
