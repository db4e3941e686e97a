package wire

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func readAll(r io.Reader) (out []string, err error) {
	e := newEvents(r)
	for {
		data, err := e.next()
		if err != nil {
			return out, err
		}
		out = append(out, string(data))
	}
}

func TestEvents(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for in, want := range map[string][]string{
		"":                          nil,
		"data: a\n\n":               {"a"},
		"data:a\n\n":                {"a"},
		"data:  a\n\n":              {" a"},
		"data: a":                   nil, // cut off
		"data: a\n":                 nil,
		"data: a\r\n\r\n":           {"a"},
		"data: a\ndata: b\n\n":      {"a\nb"},
		"event: x\n\ndata: a\n\n":   {"a"},
		": ping\n\n\n\ndata: a\n\n": {"a"},
		"id: 1\nretry: 3\nevent: x\ndata: a\n\ndata: b\n\n": {"a", "b"},
		"data\n\ndata: b\n\n":                               {"b"},
		"data: " + long + "\ndata: y\n\n":                   {long + "\ny"},
	} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(in), "by bytes": iotest.OneByteReader(strings.NewReader(in))} {
			got, err := readAll(r)
			if err != io.EOF || strings.Join(got, "|") != strings.Join(want, "|") {
				t.Errorf("%.40q %s: %.60q, %v; want %.60q", in, name, got, err, want)
			}
		}
	}
}

func TestHugeEvent(t *testing.T) {
	endless := io.MultiReader(strings.NewReader("data: "), &zeros{n: maxEvent + 1<<20})
	if _, err := readAll(endless); err != errHuge {
		t.Errorf("an endless line: %v", err)
	}
	lines := io.MultiReader(strings.NewReader("data: "), strings.NewReader(strings.Repeat("data: "+strings.Repeat("x", 1<<20)+"\n", 70)))
	if _, err := readAll(lines); err != errHuge {
		t.Errorf("an endless event: %v", err)
	}
}

type zeros struct{ n int }

func (z *zeros) Read(p []byte) (int, error) {
	if z.n <= 0 {
		return 0, io.EOF
	}
	n := min(len(p), z.n)
	for i := range n {
		p[i] = '0'
	}
	z.n -= n
	return n, nil
}
