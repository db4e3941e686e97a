package sandbox

import (
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"
)

// Output is what a command wrote to one of its pipes: all of it, or its head
// and its tail with a line between that names the bytes left out.
type Output struct {
	Text    []byte // as written, not necessarily UTF-8
	Bytes   int64  // all that was written
	Dropped int64  // of these, how many Text leaves out
}

// capture keeps the head and the tail of what a command writes, in bounded memory. While the
// stream is no longer than max, the two are all of it. It may be read while it is
// written.
type capture struct {
	mu   sync.Mutex // guards what follows
	max  int
	head []byte
	tail []byte // behind head: at least the last bytes that are kept, at most twice as many and a reading
	n    int64
}

func newCapture(max int) *capture { return &capture{max: max} }

// Write never fails.
func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += int64(len(p))
	room := min(c.max/2-len(c.head), len(p))
	c.head, c.tail = append(c.head, p[:room]...), append(c.tail, p[room:]...)
	if last := c.last(); len(c.tail) > 2*len(last) {
		c.tail = append(c.tail[:0], last...)
	}
	return len(p), nil
}

// last is the end of the tail that is kept.
func (c *capture) last() []byte { return c.tail[max(0, len(c.tail)-(c.max-c.max/2)):] }

// say adds a line of this program's own.
func (c *capture) say(text string) { c.Write([]byte("[sandbox] " + text + "\n")) }

func (c *capture) size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// output returns the stream until now, cut to at most quota bytes of its own.
func (c *capture) output(quota int) Output {
	c.mu.Lock()
	defer c.mu.Unlock()
	tail := c.last()
	if c.n <= int64(quota) {
		return Output{Text: slices.Concat(c.head, tail), Bytes: c.n}
	}
	head, tail := ends(c.head, tail, c.n, quota)
	kept := len(head) + len(tail)
	o := Output{Bytes: c.n, Dropped: c.n - int64(kept)}
	o.Text = append(o.Text, head...)
	o.Text = fmt.Appendf(o.Text, "\n[… %d bytes dropped here …]\n", o.Dropped)
	o.Text = append(o.Text, tail...)
	return o
}

// ends takes half of quota from each end of head followed by tail (which are
// all of n bytes, or its two ends), and leaves no character cut in two.
func ends(head, tail []byte, n int64, quota int) (first, last []byte) {
	if n == int64(len(head)+len(tail)) { // nothing is missing between the two
		whole := slices.Concat(head, tail)
		head, tail = whole, whole
	}
	first = head[:min(len(head), quota/2)]
	last = tail[len(tail)-min(len(tail), quota-quota/2):]
	for i := 1; i <= min(utf8.UTFMax-1, len(first)); i++ {
		if b := first[len(first)-i]; utf8.RuneStart(b) {
			if !utf8.FullRune(first[len(first)-i:]) {
				first = first[:len(first)-i]
			}
			break
		}
	}
	for i := 0; i < utf8.UTFMax-1 && len(last) > 0 && !utf8.RuneStart(last[0]); i++ {
		last = last[1:]
	}
	return first, last
}

// trim brings two streams to max bytes in all: the shorter one keeps up to
// half, the longer one gets what is left.
func trim(stdout, stderr *capture, max int) (out, err Output) {
	half := int64(max / 2)
	o, e := min(stdout.size(), half), min(stderr.size(), half)
	return stdout.output(max - int(e)), stderr.output(max - int(o))
}
