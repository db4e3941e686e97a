package sandbox

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func captured(max int, pieces ...string) *capture {
	c := newCapture(max)
	for _, p := range pieces {
		c.Write([]byte(p))
	}
	return c
}

func TestCapture(t *testing.T) {
	for _, c := range []struct {
		max     int
		written string
		want    string
	}{
		{10, "", ""},
		{10, "0123456789", "0123456789"},
		{10, "0123456789a", "01234\n[… 1 bytes dropped here …]\n6789a"},
		{10, "0123456789abcdefghij", "01234\n[… 10 bytes dropped here …]\nfghij"},
		{9, "0123456789", "0123\n[… 1 bytes dropped here …]\n56789"},
		{10, "0123ééééééé6789", "0123\n[… 14 bytes dropped here …]\n6789"}, // half of an é at both cuts
		{10, "日本語日本語", "日\n[… 12 bytes dropped here …]\n語"},
		{8, "ab\xff\xff\xff\xff\xff\xffyz", "ab\xff\xff\n[… 2 bytes dropped here …]\n\xff\xffyz"},
	} {
		for _, step := range []int{1, 3, 7, 100} {
			x := newCapture(c.max)
			for rest := c.written; rest != ""; {
				n := min(step, len(rest))
				x.Write([]byte(rest[:n]))
				rest = rest[n:]
			}
			if got := string(x.output(c.max).Text); got != c.want {
				t.Errorf("%d of %q, %d at a time: %q", c.max, c.written, step, got)
			}
		}
	}
}

func TestCaptureReads(t *testing.T) {
	c := newCapture(10)
	io.Copy(c, iotest.OneByteReader(strings.NewReader("hello")))
	io.Copy(c, iotest.ErrReader(fmt.Errorf("gone")))
	if got := c.output(10); string(got.Text) != "hello" || got.Bytes != 5 {
		t.Errorf("%+v", got)
	}
}

func TestTrim(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, c := range []struct{ out, err, keptOut, keptErr int }{
		{100, 0, 100, 0},
		{0, 100, 0, 100},
		{50, 50, 50, 50},
		{60, 40, 60, 40},
		{99, 1, 99, 1},
		{200, 0, 100, 0},
		{200, 10, 90, 10},
		{10, 200, 10, 90},
		{200, 200, 50, 50},
		{200, 51, 50, 50},
	} {
		o, e := trim(captured(100, x(c.out)), captured(100, x(c.err)), 100)
		if o.Bytes-o.Dropped != int64(c.keptOut) || e.Bytes-e.Dropped != int64(c.keptErr) {
			t.Errorf("%d and %d: kept %d and %d", c.out, c.err, o.Bytes-o.Dropped, e.Bytes-e.Dropped)
		}
	}
}

// TestCaptureKeepsTheEnds: whatever is written in whatever pieces, what is kept
// is a head and a tail of it, the count is exact, and no character is cut.
func TestCaptureKeepsTheEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		max := rapid.IntRange(8, 64).Draw(t, "max")
		pieces := rapid.SliceOfN(rapid.StringN(0, 30, -1), 0, 12).Draw(t, "pieces")
		quota := rapid.IntRange(max/2, max).Draw(t, "quota")
		whole := strings.Join(pieces, "")
		o := captured(max, pieces...).output(quota)
		if o.Bytes != int64(len(whole)) {
			t.Fatalf("%d bytes counted of %d", o.Bytes, len(whole))
		}
		marker := fmt.Sprintf("\n[… %d bytes dropped here …]\n", o.Dropped)
		head, tail, cut := strings.Cut(string(o.Text), marker)
		if !cut {
			if string(o.Text) != whole || o.Dropped != 0 {
				t.Fatalf("%q is not %q", o.Text, whole)
			}
			return
		}
		if !strings.HasPrefix(whole, head) || !strings.HasSuffix(whole, tail) || len(head)+len(tail) > quota || int64(len(head)+len(tail))+o.Dropped != o.Bytes {
			t.Fatalf("%q of %q", o.Text, whole)
		}
		if !utf8.ValidString(head) || !utf8.ValidString(tail) {
			t.Fatalf("a character was cut: %q", o.Text)
		}
	})
}
