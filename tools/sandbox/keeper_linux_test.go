package sandbox

import (
	"bufio"
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"vibey/cmd/tally/testenv"
	"vibey/tools/sandbox/helper"
)

// TestBuilderToKill is the program that TestKilledBuilders starts and kills: it builds
// walls and takes them down, as fast as it can.
func TestBuilderToKill(t *testing.T) {
	dir := os.Getenv("VIBEY_TEST_BUILDER")
	if dir == "" {
		return
	}
	w := worldIn(dir)
	b, err := build(Bwrap, w.config(Bwrap), &serverList{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("VIBEY_TEST_KEEPER") != "none" {
		startKeeper()
	}
	r := &Runner{level: Bwrap, walls: b, config: w.config(Bwrap), spares: new(spares)}
	r.config.Guard = func(_ string, f func() error) error { return f() }
	s := w.spec("true")
	os.Stdout.WriteString("mark " + mark{program: thisProgram}.tag()[:9] + "\n")
	for range builders {
		go func() {
			for {
				l, err := b.look(s)
				if err != nil {
					panic(err)
				}
				c, err := r.launch(l, s)
				if err != nil {
					panic(err)
				}
				c.end()
			}
		}()
	}
	select {}
}

// builders is how many walls a program builds at a time.
const builders = 4

// TestOrphansAreSwept: a start ends the half of a wall that waits for ever because its other
// half was killed, whoever began it, and leaves a whole one alone.
func TestOrphansAreSwept(t *testing.T) {
	testenv.Slow(t)
	if levelsHere(t, newWorld(t))[Bwrap] == nil {
		return
	}
	m := newMark()
	wall := func(info *os.File) *exec.Cmd {
		cmd := exec.Command(bwrapPaths[0], "--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "--info-fd", "3", "/bin/sleep", "1000")
		cmd.Env, cmd.ExtraFiles = []string{tagName + "=" + m.tag()}, []*os.File{info}
		cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
		return cmd
	}
	read, info, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close() // till here somebody could read: bubblewrap ends where nobody can
	stand := func(n int) {
		t.Helper()
		for end := time.Now().Add(30 * time.Second); len(leftOf([]string{m.tag()})) < n; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%d processes stand after 30 s, want %d", len(leftOf([]string{m.tag()})), n)
			}
		}
	}
	whole := wall(info)
	stand(3) // the two of bubblewrap, and the command
	// Where the pipe is full, the outer one stops before it says that the inner one may go on.
	r, full, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	full.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	full.Write(make([]byte, 1<<20))
	half := wall(full)
	stand(5)
	half.Process.Kill()
	half.Wait()
	sweepOrphans()
	left := leftOf([]string{m.tag()})
	for begin := time.Now(); len(left) > 3 && time.Since(begin) < 5*time.Second; left = leftOf([]string{m.tag()}) {
		time.Sleep(time.Millisecond)
	}
	if len(left) != 3 {
		t.Errorf("%d processes are left, want the 3 of the whole wall", len(left))
	}
	whole.Process.Kill()
	sweep(0, m)
}

// builder is a program that builds walls, until kill. It tells the mark of its processes.
func builder(t *testing.T, dir, keeper string) (kill func(), mark string) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestBuilderToKill$")
	cmd.Env = append(os.Environ(), "VIBEY_TEST_BUILDER="+dir, "VIBEY_TEST_KEEPER="+keeper)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Error(err)
		return func() {}, ""
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	mark, ok := strings.CutPrefix(strings.TrimSpace(line), "mark ")
	if err != nil || !ok {
		t.Errorf("the builder says %q: %v", line, err)
	}
	return func() { cmd.Process.Kill(); cmd.Wait() }, mark
}

// leftOf are the processes of this machine with one of these marks in their environment.
func leftOf(marks []string) (pids []int) {
	names, _ := filepath.Glob("/proc/[0-9]*/environ")
	var tree helper.Tree
	for _, n := range names {
		env := tree.Read(n)
		for _, m := range marks {
			if bytes.Contains(env, []byte(tagName+"="+m)) {
				pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(n)))
				if alive(pid) {
					pids = append(pids, pid)
				}
				break
			}
		}
	}
	return pids
}

// awaitNone returns what is left of these marks once that is nothing, or after five seconds.
func awaitNone(marks []string) (pids []int) {
	for begin := time.Now(); time.Since(begin) < 5*time.Second; time.Sleep(20 * time.Millisecond) {
		if pids = leftOf(marks); len(pids) == 0 {
			break
		}
	}
	return pids
}

// killBuilders kills so many programs while they build walls, and returns their marks.
func killBuilders(t *testing.T, kills int, keeper string) (marks []string) {
	w := newWorld(t)
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for {
				mu.Lock()
				more := len(marks) < kills
				if more {
					marks = append(marks, "")
				}
				at := len(marks) - 1
				mu.Unlock()
				if !more {
					return
				}
				kill, mark := builder(t, w.dir, keeper)
				time.Sleep(time.Duration(rand.Int64N(int64(40 * time.Millisecond)))) // any moment will do
				kill()
				mu.Lock()
				marks[at] = mark
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return marks
}

// TestKilledBuilders: of a program that is killed while it builds walls nothing is left.
// VIBEY_KILLS is how often: `just kills` says.
func TestKilledBuilders(t *testing.T) {
	testenv.Slow(t)
	if levelsHere(t, newWorld(t))[Bwrap] == nil {
		return // levelsHere tells it
	}
	kills := 40
	if n, err := strconv.Atoi(os.Getenv("VIBEY_KILLS")); err == nil {
		kills = n
	}
	marks := killBuilders(t, kills, os.Getenv("VIBEY_KEEPER"))
	left := awaitNone(marks)
	for _, pid := range left {
		unix.Kill(pid, unix.SIGKILL)
	}
	t.Logf("%d kills in the making of a wall, %d processes left", len(marks), len(left))
	if len(left) > 0 {
		t.Errorf("%d processes are left", len(left))
	}
}
