package sandbox

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"vibey/cmd/tally/testenv"
	"vibey/tools/sandbox/helper"
)

// harms are ways to end, stop or steer process $t. Each says "done" where the
// kernel lets it.
var harms = []struct{ name, command string }{
	{"kill", "kill -9 $t && echo done"},
	{"stop", "kill -STOP $t && echo done"},
	{"kill by its group", "kill -9 -$t && echo done"},
	{"kill by a thread", "/bin/kill -9 $(ls /proc/$t/task | tail -n 1) && echo done"},
	{"tkill", done(unix.SYS_TKILL, "$ENV{t}+0,9")},
	{"tgkill", done(unix.SYS_TGKILL, "$ENV{t}+0,$ENV{t}+0,9")},
	{"rt_sigqueueinfo", done(unix.SYS_RT_SIGQUEUEINFO, `$ENV{t}+0,9,(my $i=pack("iii",9,0,-1)."\0"x128)`)},
	{"rt_tgsigqueueinfo", done(unix.SYS_RT_TGSIGQUEUEINFO, `$ENV{t}+0,$ENV{t}+0,9,(my $i=pack("iii",9,0,-1)."\0"x128)`)},
	{"a descriptor of it", done(unix.SYS_PIDFD_SEND_SIGNAL, fmt.Sprintf("syscall(%d,$ENV{t}+0,0),9,0,0", unix.SYS_PIDFD_OPEN))},
	{"its folder in /proc", lines(`import os,ctypes; f=os.open("/proc/"+os.environ["t"],os.O_DIRECTORY); assert ctypes.CDLL(None).syscall(424,f,9,0,0)==0`)},
	{"a signal of a pipe", lines(`import os,fcntl; r,w=os.pipe(); fcntl.fcntl(r,8,int(os.environ["t"])); fcntl.fcntl(r,10,9); fcntl.fcntl(r,4,0o20000|0o4000); os.write(w,b"x")`)},
	{"a limit", lines(`import os,resource; resource.prlimit(int(os.environ["t"]),resource.RLIMIT_CPU,(1,1))`)},
	{"ptrace", done(unix.SYS_PTRACE, "16,$ENV{t}+0,0,0")},
	{"its memory", lines(`import os; open("/proc/"+os.environ["t"]+"/mem","r+b")`)},
	{"its place before the killer of processes", lines(`import os; open("/proc/"+os.environ["t"]+"/oom_score_adj","w").write("1000")`)},
}

func done(number int, args string) string {
	return fmt.Sprintf(`perl -e 'syscall(%d,%s)==-1 and die "$!\n"; print "done\n"'`, number, args)
}

func lines(text string) string {
	return "/usr/bin/python3 -c '" + strings.ReplaceAll(text, "; ", "\n") + "\nprint(\"done\")'"
}

// signalLevels are the ways in which Landlock's level keeps signals within a
// command: the kernel's own, and the supervisor's on an older kernel.
func signalLevels(t *testing.T, w world) map[string]*Runner {
	found := map[string]*Runner{}
	for name, abi := range map[string]int{"as the kernel is": 0, "without Landlock's scope": helper.ScopedSignals - 1} {
		c := w.config(Landlock)
		c.abi = abi
		r := Probe(c)
		if r.Level() != Landlock {
			testenv.Partly(t, testenv.Landlock)
			continue
		}
		found[name] = r
	}
	return found
}

// TestHarms: a command can do nothing to its supervisor, nor to any other process.
func TestHarms(t *testing.T) {
	testenv.Slow(t)
	for name, r := range signalLevels(t, newWorld(t)) {
		w, other := newWorld(t), bystander(t)
		for who, of := range map[string]string{"its supervisor": "$PPID", "another process": strconv.Itoa(other.Process.Pid)} {
			command := "setsid -f sleep 98775.5; export t=" + of
			for _, h := range harms {
				command += "; echo " + h.name + "; " + h.command
			}
			o := r.Command(t.Context(), w.spec(command+"; echo survived"))
			if text := string(o.Stdout.Text); strings.Contains(text, "done") || !strings.HasSuffix(text, "\nsurvived\n") || o.ExitCode != 0 || lives("98775.5") {
				t.Errorf("%s, harms of %s: exit code %d\n%s%s", name, who, o.ExitCode, o.Stdout.Text, o.Stderr.Text)
			}
		}
		if s := stateOf(other.Process.Pid); s != "S" {
			t.Errorf("%s: the other process is in state %s", name, s)
		}
	}
	for _, h := range harms { // the control
		if h.name == "its place before the killer of processes" || h.name == "kill by a thread" {
			continue // shown by others
		}
		other := bystander(t)
		cmd := exec.Command("/bin/sh", "-c", h.command)
		cmd.Env = []string{"PATH=/usr/bin:/bin", "t=" + strconv.Itoa(other.Process.Pid)}
		if out, err := cmd.CombinedOutput(); !strings.Contains(string(out), "done") {
			t.Errorf("%s is not done without walls either, so it proves nothing: %v\n%s", h.name, err, out)
		}
	}
}

// bystander is a process in a group of its own.
func bystander(t *testing.T) *exec.Cmd {
	cmd := exec.Command("/bin/sleep", "1000")
	cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd
}

// stateOf is the letter of a process's state, "" where there is none.
func stateOf(pid int) string {
	var tr helper.Tree
	stat := string(tr.Read("/proc/" + strconv.Itoa(pid) + "/stat"))
	if f := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:]); len(f) > 0 {
		return f[0]
	}
	return ""
}

// TestKillEverything: what a command sends to all that it may reach ends itself at most.
func TestKillEverything(t *testing.T) {
	w := newWorld(t)
	other := bystander(t)
	for name, r := range signalLevels(t, w) {
		o := r.Command(t.Context(), w.spec("setsid -f sleep 98776.5; kill -9 -1; true"))
		if o.TimedOut || lives("98776.5") || stateOf(other.Process.Pid) != "S" {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

// TestOwnSignals: within a command all signals work.
func TestOwnSignals(t *testing.T) {
	testenv.Slow(t)
	for name, r := range signalLevels(t, newWorld(t)) {
		w := newWorld(t)
		for _, c := range []struct{ command, want string }{
			{"sleep 1000 & kill $!; wait $!; echo $?", "143\n"},
			{"setsid sh -c 'sleep 1000 & echo $$ > deed/group; wait' & while [ ! -s deed/group ]; do sleep 0.01; done; kill -- -$(cat deed/group); wait; echo ended", "ended\n"},
			{"setsid sh -c '(sleep 1000 & echo $! > deed/one); echo $$ > deed/group' ; kill -- -$(cat deed/group); sleep 0.1; kill -0 $(cat deed/one) 2>/dev/null || echo ended", "ended\n"},
			{"timeout 0.1 sleep 1000; echo $?", "124\n"},
			{"kill -0 $$ && echo here; kill -0 999999 2>/dev/null || echo none", "here\nnone\n"},
			{`(trap "" TERM; kill 0; echo ignored)& wait`, ""},
			{`/usr/bin/python3 -c 'import subprocess,signal,threading,os
p=subprocess.Popen(["sleep","1000"]); p.terminate(); print(p.wait())
signal.signal(signal.SIGUSR1,lambda *a: print("caught"))
signal.pthread_kill(threading.get_ident(),signal.SIGUSR1); os.kill(os.getpid(),signal.SIGUSR1)'`, "-15\ncaught\ncaught\n"},
		} {
			if o := r.Command(t.Context(), w.spec(c.command)); c.want != "" && string(o.Stdout.Text) != c.want {
				t.Errorf("%s, %s: %q %s", name, c.command, o.Stdout.Text, o.Stderr.Text)
			}
		}
	}
}

// TestManyChildren: the children of one process are counted, however many.
func TestManyChildren(t *testing.T) {
	testenv.Long(t)
	w := newWorld(t)
	c := w.config(None)
	c.Procs = 800
	o := Probe(c).Command(t.Context(), w.spec("i=0; while [ $i -lt 900 ]; do sleep 1000 & i=$((i+1)); done; wait"))
	if o.Exceeded != "processes" {
		t.Errorf("%+v", o)
	}
}

// TestShort: a command is ended where the machine's memory is out, if it went
// while the command ran.
func TestShort(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct {
		before, now, may int64
		want             bool
	}{
		{8 * gib, 7 * gib, 4 * gib, false},
		{8 * gib, lowMemory - 1, 4 * gib, true},
		{lowMemory, lowMemory - 1, 4 * gib, false}, // it was so before
		{gib, lowMemory - 1, 4 * gib, false},       // others took it
	} {
		if got := short(c.before, c.now, c.may); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	w := newWatch(1, Spec{}, runner(time.Second))
	if w.ram < 1<<20 {
		t.Errorf("%d bytes are available", w.ram)
	}
}
