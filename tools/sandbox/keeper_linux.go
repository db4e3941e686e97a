package sandbox

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"vibey/tools/sandbox/helper"
)

// A program that is killed can't end what it started, and the kernel does it only once
// bubblewrap has asked for that. Of the two processes that it is at first, the outer one
// asks before it writes the map of users for the inner one, and the inner one after that:
// where the outer one is killed between, the inner one waits for that map for ever, and
// where it is killed a moment later the whole wall goes on. So a keeper outlives this
// program for a moment, and ends what has its marks: a shell that waits at a pipe, which
// takes less memory than this program would, and then becomes this program.

// keeperWord is this program's first argument where it is what the keeper becomes; the
// second is the number of the program that has ended.
const keeperWord = "sandbox-keeper"

// keeperScript waits for the end of the pipe. A line is a program that has ended what it
// started.
const keeperScript = `read -r line && exit; exec /proc/self/fd/3 ` + keeperWord + ` "$0"`

func init() {
	if len(os.Args) == 3 && os.Args[1] == keeperWord {
		if n, err := strconv.ParseUint(os.Args[2], 16, programBits); err == nil && n != 0 {
			sweepKilled(uint32(n))
		}
		os.Exit(0)
	}
}

// sweepKilled ends what a program that was killed has left. What it was just starting is
// found by its mark a moment later.
func sweepKilled(program uint32) {
	for range 8 {
		sweepProgram(program)
		time.Sleep(25 * time.Millisecond)
	}
}

// keeper is the keeper of this program: the end of its pipe, nil where there is none.
var keeper struct {
	sync.Mutex
	pipe *os.File
}

// startKeeper starts the keeper, unless there is one. Where that fails, what a kill leaves
// is ended by the next start.
func startKeeper() {
	keeper.Lock()
	defer keeper.Unlock()
	if keeper.pipe != nil {
		return
	}
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		return
	}
	defer self.Close()
	theirs, ours, err := os.Pipe()
	if err != nil {
		return
	}
	defer theirs.Close()
	cmd := exec.Command("/bin/sh", "-c", keeperScript, strconv.FormatUint(uint64(thisProgram), 16))
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.ExtraFiles = "/", []string{}, theirs, []*os.File{self}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // what ends this program's group or terminal leaves it
	if cmd.Start() != nil {
		ours.Close()
		return
	}
	keeper.pipe = ours
	go cmd.Wait() // it can't panic
}

// dismissKeeper ends the keeper. The caller has ended all that was started.
func dismissKeeper() {
	keeper.Lock()
	defer keeper.Unlock()
	if keeper.pipe != nil {
		keeper.pipe.WriteString("ended\n")
		keeper.pipe.Close()
		keeper.pipe = nil
	}
}

// sweepOrphans ends the walls of any program of this user that was killed together with
// its keeper: a process of bubblewrap that is the first of its namespace, has a mark of
// ours, and whose outer one is gone.
func sweepOrphans() {
	var t helper.Tree
	for pid := range helper.Processes {
		if orphaned(&t, pid) {
			unix.Kill(pid, unix.SIGKILL)
		}
	}
}

func orphaned(t *helper.Tree, pid int) bool {
	dir := "/proc/" + strconv.Itoa(pid)
	if comm(t, pid) != "bwrap" {
		return false
	}
	var owner unix.Stat_t
	if unix.Stat(dir, &owner) != nil || int(owner.Uid) != os.Geteuid() {
		return false
	}
	status := string(t.Read(dir + "/status"))
	_, spaces, _ := strings.Cut(status, "\nNSpid:")
	spaces, _, _ = strings.Cut(spaces, "\n")
	if pids := strings.Fields(spaces); len(pids) < 2 || pids[len(pids)-1] != "1" {
		return false
	}
	if !bytes.Contains(t.Read(dir+"/environ"), []byte(tagName+"=")) {
		return false
	}
	parent, _, ok := t.Parent(pid)
	return ok && comm(t, parent) != "bwrap"
}

// comm is what the kernel calls a process, "" where there is none.
func comm(t *helper.Tree, pid int) string {
	return strings.TrimSpace(string(t.Read("/proc/" + strconv.Itoa(pid) + "/comm")))
}
