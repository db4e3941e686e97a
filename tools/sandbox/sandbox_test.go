package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func runner(limit time.Duration) *Runner {
	return Probe(Config{Path: os.Getenv("PATH"), Limit: limit})
}

func TestProbe(t *testing.T) {
	r := Probe(Config{})
	if r.Level() != None || r.Limit() != 30*time.Second || r.config.Output != 1<<20 || r.config.Path != defaultPath {
		t.Errorf("%+v", r)
	}
}

// untilTold waits for a number to be written, however busy the machine is.
const untilTold = "until [ -e told ]; do sleep 0.02; done"

// leftovers are commands that try to leave a process behind. Each writes the
// numbers of what it started to its standard output.
var leftovers = []struct{ name, command string }{
	{"background", "sleep 1000 & echo $!"},
	{"nohup", "nohup sleep 1000 >/dev/null 2>&1 & echo $!"},
	{"holds the pipes", "sleep 1000 & echo $!; sleep 1000 & echo $!"},
	{"own session", "setsid sleep 1000 & echo $!"},
	{"own session, forked", "setsid -f sh -c 'echo $$; >told; exec sleep 1000'; " + untilTold},
	{"no environment", "env -i setsid sleep 1000 & echo $!"},
	{"twice forked", "(setsid sh -c 'sleep 1000 & echo $!; >told; wait' &) ; " + untilTold},
	{"ignores signals", "(trap '' HUP TERM INT; sleep 1000 & echo $!; >told; wait) & " + untilTold},
	{"stopped", "sleep 1000 & echo $!; kill -STOP $!"},
	{"many", "for i in $(seq 30); do (setsid sleep 1000 & echo $!); done"},
	{"pipeline", "setsid sh -c 'echo $$; >told; sleep 1000 | cat' & " + untilTold},
	{"closed all", "setsid sh -c 'echo $$; >told; exec 0<&- 1>&- 2>&-; exec sleep 1000' & " + untilTold},
}

func TestNothingIsLeftRunning(t *testing.T) {
	for _, c := range leftovers {
		t.Run(c.name+", at its end", func(t *testing.T) {
			t.Parallel()
			checkLeftovers(t, c.name, c.command, runner(20*time.Second), false)
		})
	}
	t.Run("at their limit", func(t *testing.T) { // they wait at once
		t.Parallel()
		var all sync.WaitGroup
		for _, c := range leftovers {
			all.Go(func() { checkLeftovers(t, c.name, c.command+"; sleep 1000", runner(2*time.Second), true) })
		}
		all.Wait()
	})
}

func checkLeftovers(t *testing.T, name, command string, r *Runner, atLimit bool) {
	begin := time.Now()
	o := r.Command(t.Context(), Spec{Command: command, Dir: t.TempDir()})
	if o.Err != nil || o.TimedOut != atLimit || time.Since(begin) > 10*time.Second {
		t.Errorf("%s: %+v", name, o)
	}
	pids := strings.Fields(string(o.Stdout.Text))
	if len(pids) == 0 {
		t.Errorf("%s started nothing: %s", name, o.Stderr.Text)
	}
	for _, pid := range pids {
		if n, err := strconv.Atoi(pid); err != nil || alive(n) {
			t.Errorf("%s: process %q is left", name, pid)
		}
	}
}

// alive reports whether a process is there and has not ended.
func alive(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return syscall.Kill(pid, 0) == nil && runtime.GOOS != "linux"
	}
	i := bytes.LastIndexByte(stat, ')')
	return stat[i+2] != 'Z' && stat[i+2] != 'X'
}

func TestOtherCommandsLiveOn(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(dir+"/go", 0o600); err != nil {
		t.Fatal(err)
	}
	r := runner(20 * time.Second)
	slow := make(chan Outcome, 1)
	go func() {
		slow <- r.Command(t.Context(), Spec{Command: "setsid sleep 1000 & read x < go; kill -0 $! && echo $x", Dir: dir})
	}()
	for range 10 {
		if o := r.Command(t.Context(), Spec{Command: "setsid sleep 1000 & sleep 0.01", Dir: dir}); o.Err != nil || o.ExitCode != 0 {
			t.Errorf("%+v", o)
		}
	}
	gate, err := os.OpenFile(dir+"/go", os.O_RDWR, 0) // does not wait for a reader that may be dead
	if err != nil {
		t.Fatal(err)
	}
	defer gate.Close()
	if _, err := gate.WriteString("still here\n"); err != nil {
		t.Fatal(err)
	}
	if o := <-slow; string(o.Stdout.Text) != "still here\n" || o.ExitCode != 0 {
		t.Errorf("%+v, %s", o, o.Stdout.Text)
	}
}

func TestStop(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(dir+"/begun", 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	begin := time.Now()
	go func() {
		os.ReadFile(dir + "/begun") // comes back once the command has written
		cancel()
	}()
	o := runner(time.Minute).Command(ctx, Spec{Command: "setsid sleep 1000 & echo $! | tee begun; sleep 1000", Dir: dir})
	pid, _ := strconv.Atoi(strings.TrimSpace(string(o.Stdout.Text)))
	if !o.Stopped || o.TimedOut || o.Signal != syscall.SIGKILL || o.ExitCode != 137 || time.Since(begin) > 5*time.Second || pid == 0 || alive(pid) {
		t.Errorf("%+v, process %d", o, pid)
	}
}

func TestCannotStart(t *testing.T) {
	for _, s := range []Spec{
		{Command: "true", Dir: "/no/such/folder"},
		{Command: "a\x00b", Dir: "/"},
		{Command: strings.Repeat("x", 4<<20), Dir: "/"},
	} {
		if o := runner(time.Second).Command(t.Context(), s); o.Err == nil {
			t.Errorf("%.20q in %s: %+v", s.Command, s.Dir, o)
		}
	}
}

// TestNothingLeaks: commands leave no descriptors and no goroutines behind.
func TestNothingLeaks(t *testing.T) {
	r := runner(5 * time.Second)
	open := func() int {
		names, _ := os.ReadDir("/proc/self/fd")
		return len(names)
	}
	round := func() {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				r.Command(t.Context(), Spec{Command: "setsid sleep 1000 & echo x", Dir: "/"})
				r.Command(t.Context(), Spec{Command: "true", Dir: "/no/such"})
			})
		}
		all.Wait()
	}
	round()
	files, routines := open(), runtime.NumGoroutine()
	for range 3 {
		round()
	}
	if now := open(); now > files {
		t.Errorf("%d descriptors became %d", files, now)
	}
	if now := runtime.NumGoroutine(); now > routines+2 {
		t.Errorf("%d goroutines became %d", routines, now)
	}
}

// TestFloodKeepsMemoryFlat: what is dropped is not kept anywhere, and counted.
func TestFloodKeepsMemoryFlat(t *testing.T) {
	const flood = 48 << 20
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	o := runner(time.Minute).Command(t.Context(), Spec{Command: fmt.Sprintf("head -c %d /dev/zero", flood), Dir: "/"})
	runtime.ReadMemStats(&after)
	if o.ExitCode != 0 || o.Stdout.Bytes != flood || o.Stdout.Dropped != flood-1<<20 {
		t.Fatalf("%d bytes, %d dropped, exit code %d", o.Stdout.Bytes, o.Stdout.Dropped, o.ExitCode)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 12<<20 {
		t.Errorf("%d bytes allocated for a flood of %d", grown, flood)
	}
}

func BenchmarkCommand(b *testing.B) {
	r := runner(5 * time.Second)
	for b.Loop() {
		if o := r.Command(b.Context(), Spec{Command: "true", Dir: "/"}); o.Err != nil || o.ExitCode != 0 {
			b.Fatal(o)
		}
	}
}

// TestAPipeHeldByAnother: a process out of reach may keep a pipe open; the call
// ends all the same, with what was written.
func TestAPipeHeldByAnother(t *testing.T) {
	stdout, rs := newCapture(100), new(readers)
	theirs, err := rs.pipe(stdout, func(_ string, f func() error) error { return f() })
	if err != nil {
		t.Fatal(err)
	}
	defer rs.closeWriters() // held until the end of the test
	if _, err := theirs.WriteString("begun"); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { rs.finish(50 * time.Millisecond); close(ended) }()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Fatal("it waits for the pipe")
	}
	if o := stdout.output(100); string(o.Text) != "begun" {
		t.Errorf("%+v", o)
	}
}
