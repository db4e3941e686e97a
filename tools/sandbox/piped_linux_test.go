package sandbox

import (
	"bufio"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// speaks is a program that answers each line with it, and with what it is and sees.
const speaks = `echo "it begins" >&2
while read -r line; do
	if touch beside 2>/dev/null; then echo "$line: wrote the project"; continue; fi
	echo "$line: $KEY $(cat ~/known) $(ls deed) $(ls ../other 2>/dev/null | wc -l)"
done
echo "it ends" >&2; exit 7`

// TestPipe: a program at pipes runs behind the walls of commands, with the variables that
// it is given, and ends with its input, a stop, or all servers.
func TestPipe(t *testing.T) {
	for l, r := range levelsHere(t, newWorld(t)) {
		w := newWorld(t)
		w.write(t, "state/home/book/known", "home")
		w.write(t, "root/book/deed/mine", "")
		p, err := r.Pipe(w.spec(speaks), []string{"KEY=a key"})
		if err != nil {
			t.Fatal(l, err)
		}
		lines := bufio.NewScanner(p)
		for _, say := range []string{"one", "two"} {
			if _, err := p.Write([]byte(say + "\n")); err != nil {
				t.Fatal(l, err)
			}
			if lines.Scan(); lines.Text() != say+": a key home mine 0" {
				t.Errorf("%s: it says %q", l, lines.Text())
			}
		}
		if got := p.Last(); got != "it begins" {
			t.Errorf("%s: while it runs, its errors are %q", l, got)
		}
		if n := len(r.Servers(w.project)); n != 0 {
			t.Errorf("%s: commands meet %d servers", l, n)
		}
		p.CloseWrite()
		<-p.Ended()
		if got := p.Last(); got != "exit code 7\nit begins\nit ends" {
			t.Errorf("%s: at its end %q", l, got)
		}
		p.Close()
		if o := r.Command(t.Context(), w.spec("echo $KEY")); string(o.Stdout.Text) != "\n" {
			t.Errorf("%s: a command has the key: %s", l, o.Stdout.Text)
		}

		for range kinds[atPipes].most {
			if p, err = r.Pipe(w.spec("exec sleep 1000"), nil); err != nil {
				t.Fatal(l, err)
			}
			defer p.Close()
		}
		if _, err := r.Pipe(w.spec("exec sleep 1000"), nil); err == nil || !strings.Contains(err.Error(), "16 programs") {
			t.Errorf("%s: one more: %v", l, err)
		}
		if p.Stop(); p.server.Running() {
			t.Errorf("%s: it runs on", l)
		}
		if _, err := p.Read(make([]byte, 1)); err == nil {
			t.Errorf("%s: its output has no end", l)
		}
		r.StopServers(w.project)
		r.servers.mu.Lock()
		for _, left := range r.servers.list { // one that has ended is taken off the list behind that
			if left.Running() {
				t.Errorf("%s: one runs on", l)
			}
		}
		r.servers.mu.Unlock()
	}
}

// TestPipeNotStarted leaves no pipe open.
func TestPipeNotStarted(t *testing.T) {
	w := newWorld(t)
	r := Probe(w.config())
	s := w.spec("true")
	s.Dir = w.dir + "/nowhere"
	r.Level()
	opened := opening(t)
	if _, err := r.Pipe(s, nil); err == nil {
		t.Fatal("it was started")
	}
	if left := opened(); len(left) > 0 {
		t.Errorf("left open: %q", left)
	}
}

// opening returns what tells which descriptors are open that were not when it was called,
// by number and name; what tests before this one still close is none. A file that is
// forgotten stays open until the test ends: no collector closes it.
func opening(t *testing.T) func() []string {
	t.Helper()
	percent := debug.SetGCPercent(-1)
	t.Cleanup(func() { debug.SetGCPercent(percent) })
	list := func() (open []string) {
		names, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			if name, err := os.Readlink("/proc/self/fd/" + n.Name()); err == nil { // or it was closed by now
				open = append(open, n.Name()+" "+name)
			}
		}
		return open
	}
	before := list()
	return func() []string {
		return slices.DeleteFunc(list(), func(f string) bool { return slices.Contains(before, f) })
	}
}

// TestPipeLastWords: what is told of a program's errors begins with a whole word: a part
// of a key could not be masked.
func TestPipeLastWords(t *testing.T) {
	w := newWorld(t)
	r := Probe(w.config())
	for command, want := range map[string]string{
		"printf 'key-%02000d\nthe end' 0 >&2":    "exit code 0\n…\nthe end",
		"printf 'some words key-%03000d' 0 >&2":  "exit code 0\n…",
		"printf 'key-%03000d, then more' 0 >&2":  "exit code 0\n… then more",
		"printf 'short, and whole' >&2; exit 3 ": "exit code 3\nshort, and whole",
	} {
		p, err := r.Pipe(w.spec(command), nil)
		if err != nil {
			t.Fatal(err)
		}
		<-p.Ended()
		if got := p.Last(); got != want {
			t.Errorf("%s: %q", command, got)
		}
		p.Close()
	}
}
