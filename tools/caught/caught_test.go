package caught

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"
)

func TestDo(t *testing.T) {
	plain := errors.New("plain")
	if err := Do(func() error { return plain }); err != plain || Of(err) != nil {
		t.Errorf("an error: %v", err)
	}
	if err := Do(func() error { return nil }); err != nil {
		t.Errorf("nothing: %v", err)
	}
	for what, f := range map[string]func() error{
		"boom":                     func() error { panic("boom") },
		"index out of range":       func() error { var s []int; return fmt.Errorf("%d", s[len(s)]) },
		"plain":                    func() error { panic(plain) },
		"called with nil argument": func() error { panic(nil) },
		"close of closed channel":  func() error { c := make(chan int); close(c); close(c); return nil },
	} {
		p := Of(fmt.Errorf("wrapped: %w", Do(f)))
		if p == nil || !strings.Contains(p.Error(), what) || !strings.Contains(string(p.Stack), "caught_test.go") {
			t.Errorf("%s: %+v", what, p)
		}
	}
}

// What f deferred has run when the panic is in the log, and the log has the id.
func TestGo(t *testing.T) {
	out := make(chan string, 1)
	log := slog.New(slog.NewTextHandler(writer(func(b []byte) { out <- string(b) }), nil))
	let := false
	Go(log, "hold the door", func() {
		defer func() { let = true }()
		panic("no door")
	})
	line := <-out
	id := regexp.MustCompile(`id=[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12} `)
	if !let || !strings.Contains(line, `"panic: hold the door"`) || !strings.Contains(line, `panic="no door"`) || !strings.Contains(line, "caught_test.go") || !id.MatchString(line) {
		t.Errorf("let go %v, log %s", let, line)
	}
	Logged(nil, "nothing", func() { panic("unseen") })
}

type writer func([]byte)

func (w writer) Write(b []byte) (int, error) { w(bytes.Clone(b)); return len(b), nil }
