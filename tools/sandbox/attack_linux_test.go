package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"vibey/cmd/tally/testenv"
)

var update = flag.Bool("update", false, "write testdata/attacks.md anew")

// attack is one row of the table: a command that would do harm, in a variant
// that harms nothing here. It succeeds if it says BREACH or, where effect is
// given, if effect says so once it has ended. {words} are the world's.
type attack struct {
	name     string
	command  string
	effect   func(w world) bool
	root     bool   // it needs root even without a sandbox
	noGit    bool   // the deed is no repository
	listen   string // a socket on which a program of the machine listens, below the world's folder
	network  bool   // a human has allowed the network
	daemon   string // the argument of a process that must not be left
	silent   string // how it is told that it did not succeed, where it had no refusal
	killed   bool   // once it has written deed/begun, its server is killed
	serve    bool   // beside a server on {served}, or one that was asked for in vain
	asServer bool   // as a server, on {knocked}
	during   bool   // as a server, while it runs
	alone    bool   // no other attack of this user runs meanwhile: it takes what theirs need
}

// perl makes a system call and says BREACH where the kernel takes it.
func perl(number int, args string) string {
	return fmt.Sprintf(`perl -e 'my $b="\0"x4096; my $r=syscall(%d,%s); die "refused: $!\n" if $r==-1; print "BREACH\n"'`, number, args)
}

// unmark gives up the limit that marks a command's processes.
const unmark = "\ntry: resource.setrlimit(10,(5,5))\nexcept Exception as e: print(e, file=__import__(\"sys\").stderr)\n"

// python connects in some way to a port of the machine, or runs other lines.
func python(lines string) string {
	return "/usr/bin/python3 -c '" + strings.ReplaceAll(lines, "; ", "\n") + "\nprint(\"BREACH\")'"
}

// unixGet asks a server that listens on a socket.
func unixGet(path string) string {
	return "curl -sS -f -m 5 --unix-socket " + path + " http://x/ && echo BREACH"
}

func exists(name string) func(world) bool {
	return func(w world) bool { _, err := os.Lstat(filepath.Join(w.dir, name)); return err == nil }
}

func holds(name, text string) func(world) bool {
	return func(w world) bool {
		b, _ := os.ReadFile(filepath.Join(w.dir, name))
		return bytes.Contains(b, []byte(text))
	}
}

// processes are those of this user that live with that argument: the attacks of
// another one go on at the same time.
func processes(arg string) (pids []int) {
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, n := range names {
		b, _ := os.ReadFile(n)
		var owner unix.Stat_t
		if unix.Stat(n, &owner) != nil || int(owner.Uid) != os.Geteuid() {
			continue
		}
		if slices.Contains(strings.Split(string(b), "\x00"), arg) {
			if pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(n))); alive(pid) {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

func running(arg string) bool { return len(processes(arg)) > 0 }

// lives reports whether a process with that argument runs, and ends it.
func lives(arg string) bool {
	pids := processes(arg)
	for _, pid := range pids {
		unix.Kill(pid, unix.SIGKILL)
	}
	return len(pids) > 0
}

// beats reports whether what writes deed/beat again and again goes on.
func beats(w world) bool {
	for begin := time.Now(); time.Since(begin) < 300*time.Millisecond; {
		os.Remove(w.deed + "/beat")
		runtime.Gosched()
		if exists("root/book/deed/beat")(w) {
			return true
		}
	}
	return false
}

// Root's run and that of the other user go on at the same time: what an attack
// leaves on the machine has a name of its user's own.
var (
	thisUser   = strconv.Itoa(os.Geteuid())
	bombArg    = "98774.5" + thisUser  // of the sleeps of a fork bomb
	segmentKey = 0x7662 + os.Geteuid() // of a segment of memory
)

// segment reports whether it is there, and removes it.
func segment(world) bool {
	id, err := unix.SysvShmGet(segmentKey, 0, 0)
	if err != nil {
		return false
	}
	unix.SysvShmCtl(id, unix.IPC_RMID, nil)
	return true
}

const dialogName = "dialog-20260101-000000-a-waiting.md"

var attacks = []attack{
	{name: "write beside the projects", command: "echo x > {dir}/out && echo BREACH", effect: exists("out")},
	{name: "write into the project, outside deed/", command: "echo x > notes.txt && echo BREACH", effect: exists("root/book/notes.txt")},
	{name: "change doc-main.md", command: "echo evil >> doc-main.md", effect: holds("root/book/doc-main.md", "evil")},
	{name: "create a dialog", command: "echo '# Dialog' > dialog-20260101-000001-b-active.md", effect: exists("root/book/dialog-20260101-000001-b-active.md")},
	{name: "edit a dialog", command: "echo 'call_1 approve' >> " + dialogName, effect: holds("root/book/"+dialogName, "approve")},
	{name: "rename a dialog", command: "mv " + dialogName + " dialog-20260101-000000-a-done.md", effect: exists("root/book/dialog-20260101-000000-a-done.md")},
	{name: "delete a dialog", command: "rm -f " + dialogName + " && echo BREACH"},
	{name: "forge an open response", command: "echo x > .20260101-000000-a.open && echo BREACH"},
	{name: "edit a dialog through a hard link", command: "ln " + dialogName + " deed/d && echo evil >> deed/d", effect: holds("root/book/"+dialogName, "evil")},
	{name: "edit a dialog through a symlink", command: "ln -s ../" + dialogName + " deed/d && echo evil >> deed/d", effect: holds("root/book/"+dialogName, "evil")},
	{name: "edit a dialog through /proc/self/cwd", command: "echo evil >> /proc/self/cwd/" + dialogName, effect: holds("root/book/"+dialogName, "evil")},
	{name: "hold the lock of a project", command: "flock -n {dir}/root/.locks/book echo BREACH"},
	{name: "hold the lock of a dialog, from the folder that it stands in", command: "cd -P .. && flock -n .locks/book+20260101-000000-a echo BREACH"},
	{name: "hold off the writers of a dialog (F_SETLEASE)", command: python(`import fcntl; f=open("` + dialogName + `"); fcntl.fcntl(f,1024,0)`)},
	{name: "put another folder in the deed's place", command: "mv deed deed2 && mkdir deed && echo BREACH"},
	{name: "read another project", command: "cat {other}/doc-main.md && echo BREACH"},
	{name: "write into another project", command: "echo evil >> ../other/doc-main.md", effect: holds("root/other/doc-main.md", "evil")},
	{name: "read the install key", command: "cat {state}/key && echo BREACH"},
	{name: "read the key through a symlink", command: "ln -s {state} deed/s && cat deed/s/key && echo BREACH"},
	{name: "read the key through a hard link", command: "ln {state}/key deed/k && cat deed/k && echo BREACH"},
	{name: "read the key through /proc/<pid>/root", command: "cat /proc/{victim}/root{state}/key && echo BREACH"},
	{name: "approve itself through the API with the token's file", command: `t=$(cat {state}/token) && curl -sS -f -H "Authorization: Bearer $t" {api} && echo BREACH`},
	{name: "reach the API at all", command: "curl -sS -m 2 {api}; test $? -ne 7 -a $? -ne 28 && curl -sS -m 2 -o /dev/null {api} && echo BREACH"},
	{name: "read a person's SSH key", command: "cat {dir}/.ssh/id && echo BREACH"},
	{name: "read /etc/shadow", command: "cat /etc/shadow > /dev/null && echo BREACH", root: true},
	{name: "change the system", command: "touch /usr/local/.vibey-test && rm /usr/local/.vibey-test && echo BREACH", root: true},
	{name: "change /etc", command: "touch /etc/.vibey-test && rm /etc/.vibey-test && echo BREACH", root: true},
	{name: "set a kernel parameter", command: "v=$(cat /proc/sys/vm/swappiness) && echo $v > /proc/sys/vm/swappiness && echo BREACH", root: true},
	{name: "reach a socket such as docker.sock", command: `curl -sS -f --unix-socket {socket} http://docker/info && echo BREACH`},
	{name: "reach an abstract socket", command: python(`import socket; s=socket.socket(socket.AF_UNIX); s.connect("\0{abstract}")`)},
	{name: "reach an abstract socket, with the network allowed", command: python(`import socket; s=socket.socket(socket.AF_UNIX); s.connect("\0{abstract}")`), network: true},
	{name: "reach a daemon's socket in /srv", command: unixGet("{/srv}/s")},
	{name: "reach a daemon's socket in /var/lib", command: unixGet("{/var/lib}/s")},
	{name: "reach a daemon's socket in /var/snap", command: unixGet("{/var/snap}/s")},
	{name: "reach a daemon's socket in /opt", command: unixGet("{/opt}/s")},
	{name: "reach a daemon's socket in /usr", command: unixGet("{/usr/local}/s")},
	{name: "reach a daemon's socket on another disk", command: unixGet("{/mnt}/s")},
	{name: "reach a socket that belongs to a group", command: unixGet("{/srv}/group")},
	{name: "reach a socket of another project", command: unixGet("{other}/s"), listen: "root/other/s"},
	{name: "reach a socket beside the deed", command: unixGet("{dir}/root/book/s"), listen: "root/book/s"},
	{name: "reach a socket that a program of yours has in the deed", command: unixGet("deed/s"), listen: "root/book/deed/s"},
	{name: "read a daemon's data in /srv", command: "cat {/srv}/data && echo BREACH"},
	{name: "read a daemon's data in /var/lib", command: "cat {/var/lib}/data && echo BREACH"},
	{name: "read another disk", command: "cat {/mnt}/data && echo BREACH"},
	{name: "read what belongs to a group", command: "cat {/srv}/group-data && echo BREACH"},
	{name: "read what belongs to a group in /etc", command: "cat {/etc}/group-data && echo BREACH"},
	{name: "reach a socket of datagrams through a pair", command: python(`import socket; a,b=socket.socketpair(socket.AF_UNIX,socket.SOCK_DGRAM); a.sendto(b"x","{dgram}")`)},
	{name: "connect to a port of the machine", command: python(`import socket; socket.create_connection(("127.0.0.1",{port}),2)`)},
	{name: "beside a server: connect to its port at another address", command: python(`import socket; socket.create_connection(("127.0.0.2",{served}),2)`), serve: true},
	{name: "beside a server: connect to its port at the machine's own address", command: python(`import socket; socket.create_connection(("{address}",{served}),2)`), serve: true},
	{name: "as a server: listen at all addresses", command: python(`import socket; s=socket.socket(); s.setsockopt(1,2,1); s.bind(("0.0.0.0",{knocked})); s.listen(); s.settimeout(2); s.accept()`), asServer: true},
	{name: "listen without an address", command: python(`import socket; s=socket.socket(); s.listen(); open("deed/port","w").write(str(s.getsockname()[1])); s.settimeout(2); s.accept()`)},
	{name: "send in the first packet (TCP Fast Open)", command: python(`import socket; s=socket.socket(); s.sendto(b"x",0x20000000,("127.0.0.1",{port}))`)},
	{name: "send a datagram to a port of the machine", command: python(`import socket; s=socket.socket(socket.AF_INET,socket.SOCK_DGRAM); s.settimeout(2); s.connect(("127.0.0.1",{udp})); s.send(b"x"); s.recv(9)`)},
	{name: "open a raw packet socket", command: python(`import socket; socket.socket(17,socket.SOCK_RAW,0)`), root: true},
	{name: "open a kernel crypto socket (AF_ALG)", command: python(`import socket; socket.socket(16,socket.SOCK_RAW,15)`)},
	{name: "signal another process", command: "kill -CONT {victim} && echo BREACH"},
	{name: "read another process's environment", command: "grep -q THESECRET /proc/{victim}/environ && echo BREACH"},
	{name: "ptrace", command: perl(unix.SYS_PTRACE, "16,{victim},0,0")},
	{name: "read another process's memory", command: "head -c 1 /proc/{victim}/mem > /dev/null; " + perl(unix.SYS_PROCESS_VM_READV, "{victim},$b,0,$b,0,0")},
	{name: "take another process's descriptor", command: perl(unix.SYS_KCMP, "{victim},{victim},0,0,0")},
	{name: "use the keyring", command: perl(unix.SYS_KEYCTL, "0,-3,1")},
	{name: "io_uring", command: perl(unix.SYS_IO_URING_SETUP, "8,$b")},
	{name: "userfaultfd", command: perl(unix.SYS_USERFAULTFD, "0"), root: true},
	{name: "make a user namespace", command: "unshare -U true && echo BREACH"},
	{name: "mount", command: "mkdir -p deed/m && mount -t tmpfs none deed/m && umount deed/m && echo BREACH", root: true},
	{name: "unmount what hides the rest", command: "mkdir -p deed/m && mount --bind deed/m deed/m; umount deed/m && echo BREACH", root: true},
	{name: "enter the machine's namespaces", command: "nsenter -t {victim} -m true && echo BREACH", root: true},
	{name: "chroot", command: "chroot / true && echo BREACH", root: true},
	{name: "make a device node", command: "mknod deed/n c 1 3 && echo BREACH", root: true},
	{name: "make a setuid program", command: "cp /bin/true deed/t && chmod 4755 deed/t && echo BREACH"},
	{name: "become another user", command: `perl -e '$!=0; $(=65534; $<=$>=65534; die "refused: $!\n" if $> != 65534; print "BREACH\n"'`, root: true},
	{name: "rename the machine", command: "hostname \"$(cat /proc/sys/kernel/hostname)\" && echo BREACH", root: true},
	{name: "type into a terminal (TIOCSTI)", command: `perl -e 'require "sys/ioctl.ph" if 0; open(my $m,"+<","/dev/ptmx") or die "refused: $!\n"; ioctl($m,0x40045431,my $z=pack("i",0)) or die "refused: $!\n"; my $n=pack("i",0); ioctl($m,0x80045430,$n) or die "refused: $!\n"; open(my $s,"+<","/dev/pts/".unpack("i",$n)) or die "refused: $!\n"; ioctl($s,0x5412,my $c="x") or die "refused: $!\n"; print "BREACH\n"'`, root: true},
	{name: "leave a daemon", command: "setsid -f sleep 98761.5; sleep 0.2; echo started", daemon: "98761.5"},
	{name: "leave a daemon without environment", command: "env -i setsid -f sh -c 'sleep 98762.5 & sleep 0.1'; sleep 0.2; echo started", daemon: "98762.5"},
	{name: "leave a daemon that forked twice and changed its marks", command: python("import os,resource,time; os.fork() and (time.sleep(.3), os._exit(0)); os.setsid(); os.fork() and os._exit(0); " + unmark + "; os.execve(\"/bin/sleep\",[\"sleep\",\"98767.5\"],{})"), daemon: "98767.5"},
	{name: "leave a daemon beside the shell (CLONE_PARENT)", command: fmt.Sprintf(`perl -e 'my $r=syscall(%d,0x8011,0,0,0,0); die "refused: $!\n" if $r==-1; exec "setsid","sleep","98768.5" if !$r; select(undef,undef,undef,.2)'`, unix.SYS_CLONE), daemon: "98768.5"},
	{name: "leave a daemon with a parent of its own (subreaper)", command: fmt.Sprintf(`perl -e 'syscall(%d,36,1,0,0,0); exec "setsid","-f","sleep","98769.5" if !fork; sleep 1 if !fork; select(undef,undef,undef,.2)'`, unix.SYS_PRCTL), daemon: "98769.5"},
	{name: "leave a daemon that forks on and on", alone: true, command: `setsid -f perl -e 'while(time-$^T<10){exit if fork; open F,">deed/beat"}'; sleep 0.3; echo started`, effect: beats},
	{name: "kill what watches, and leave a daemon", command: "setsid -f sleep 98771.5; kill -9 $PPID; sleep 0.2; echo started", daemon: "98771.5"},
	{name: "stop what watches, and leave a daemon", command: "setsid -f sleep 98772.5; kill -STOP $PPID; sleep 0.2; echo started", daemon: "98772.5"},
	{name: "leave a daemon when the server is killed", command: "setsid -f env -i sleep 98773.5; sleep 0.2; echo begun > deed/begun; sleep 1000", daemon: "98773.5", killed: true},
	{name: "fork bomb", alone: true, command: "p=; i=0; while [ $i -lt 400 ]; do sleep 60 & p=\"$p $!\"; i=$((i+1)); done; sleep 1; echo BREACH; kill $p"},
	{name: "memory hog", alone: true, command: `perl -e '$x="a"x(450<<20); select(undef,undef,undef,1); print "BREACH\n"'`},
	{name: "memory hog of many processes", alone: true, command: `for i in 1 2 3 4 5 6 7 8; do perl -e '$x="a"x(60<<20); select(undef,undef,undef,1.5)' & done; wait; echo BREACH`},
	{name: "memory hog of shared memory", alone: true, command: python(`import mmap,time; m=mmap.mmap(-1,450<<20); [m.__setitem__(i,1) for i in range(0,450<<20,4096)]; time.sleep(1)`)},
	{name: "memory hog in a daemon", alone: true, command: `env -i setsid -f perl -e '$x="a"x(450<<20); open F,">deed/hogged"; select(undef,undef,undef,2)'; while [ ! -e deed/hogged ]; do sleep 0.1; done; sleep 1; echo BREACH`},
	{name: "fork bomb of daemons", alone: true, command: "i=0; while [ $i -lt 400 ]; do env -i setsid -f sleep " + bombArg + " || exit; i=$((i+1)); done; sleep 0.5; echo > deed/all", effect: func(w world) bool { lives(bombArg); return exists("root/book/deed/all")(w) }},
	{name: "leave memory that no process holds (shmget)", command: python(fmt.Sprintf("import ctypes,os; c=ctypes.CDLL(None,use_errno=True); n=c.shmget(%d,1<<20,0o1600); e=ctypes.get_errno(); n<0 and exit(os.strerror(e))", segmentKey)), effect: segment, silent: "gone with its namespace"},
	{name: "disk hog", command: "head -c 20000000 /dev/zero > deed/big && echo BREACH"},
	{name: "fill /dev/shm or /tmp with memory", alone: true, command: "head -c 700000000 /dev/zero > {shm}/vibey-test-{victim} && rm {shm}/vibey-test-{victim} && echo BREACH"},
	{name: "write a git hook", command: "echo evil > deed/.git/hooks/pre-push", effect: exists("root/book/deed/.git/hooks/pre-push")},
	{name: "set a command in git's config", command: "git -C deed config core.fsmonitor evil", effect: holds("root/book/deed/.git/config", "evil")},
	{name: "put another file in place of git's config", command: "printf '[core]\\n fsmonitor = evil\\n' > deed/c && mv -f deed/c deed/.git/config", effect: holds("root/book/deed/.git/config", "evil")},
	{name: "put another .git in its place", command: "mv deed/.git deed/.g && mkdir -p deed/.git/hooks && echo evil > deed/.git/hooks/pre-push", effect: exists("root/book/deed/.git/hooks/pre-push")},
	{name: "make hooks a link", command: "mv deed/.git/hooks deed/h; mkdir -p deed/h && echo evil > deed/h/pre-push && ln -s ../h deed/.git/hooks", effect: exists("root/book/deed/.git/hooks/pre-push")},
	{name: "lead git to another config (commondir)", command: "echo ../evil > deed/.git/commondir", effect: exists("root/book/deed/.git/commondir")},
	{name: "make a repository with a hook", command: "git init -q deed && echo evil > deed/.git/hooks/pre-push", effect: exists("root/book/deed/.git/hooks/pre-push"), noGit: true},
	{name: "make a repository with a command in its config", command: "git init -q deed && git -C deed config core.fsmonitor evil", effect: holds("root/book/deed/.git/config", "evil"), noGit: true},
}

// hereAnswer is what every server here says.
var hereAnswer = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "here\n") })

// listen makes a program of the machine listen on a socket that everybody may reach.
func listen(t *testing.T, address string) {
	l, err := net.Listen("unix", address)
	if err != nil {
		t.Fatal(err)
	}
	if address[0] != '@' {
		os.Chmod(address, 0o777)
	}
	s := &http.Server{Handler: hereAnswer}
	t.Cleanup(func() { s.Close() })
	go s.Serve(l)
}

// target is what the attacks aim at: processes and sockets of the machine.
type target struct {
	words           []string
	served, knocked int // ports
	address         string
}

// ownAddress is one of this machine that is not its loopback's, where there is one.
func ownAddress() string {
	addrs, _ := net.InterfaceAddrs()
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && !n.IP.IsLoopback() {
			return n.IP.String()
		}
	}
	return "127.0.0.3"
}

// knock connects, as another machine could, to the ports on which an attack may
// listen, until the test of it has ended.
func (tg target) knock(w world, ended <-chan struct{}) {
	for {
		select {
		case <-ended:
			return
		case <-time.After(20 * time.Millisecond):
		}
		port, _ := os.ReadFile(w.deed + "/port")
		for _, p := range []string{strconv.Itoa(tg.knocked), string(port)} {
			if c, err := net.DialTimeout("tcp", net.JoinHostPort(tg.address, p), time.Second); err == nil {
				c.Close()
			}
		}
	}
}

func newTarget(t *testing.T, w world, machine []string) target {
	victim := exec.Command("/bin/sleep", "1000")
	victim.Env = []string{"KEY=THESECRET"}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { victim.Process.Kill(); victim.Wait() })
	api := httptest.NewServer(hereAnswer)
	t.Cleanup(api.Close)
	socket := filepath.Join(w.dir, "docker.sock")
	if os.Geteuid() == 0 {
		socket = fmt.Sprintf("/run/vibey-test-%d.sock", os.Getpid())
	}
	dgram := strings.TrimSuffix(socket, ".sock") + "-dgram.sock"
	datagrams, err := net.ListenPacket("unixgram", dgram)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { datagrams.Close(); os.Remove(dgram) })
	address, served := ownAddress(), testenv.Port(t)
	for _, host := range []string{"127.0.0.2", address} {
		l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(served)))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
	}
	abstract := fmt.Sprintf("vibey-test-%d", os.Getpid())
	listen(t, socket)
	listen(t, "@"+abstract)
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { udp.Close() })
	go func() {
		var b [9]byte
		for {
			_, from, err := udp.ReadFrom(b[:])
			if err != nil {
				return
			}
			udp.WriteTo([]byte("y"), from)
		}
	}()
	_, port, _ := net.SplitHostPort(api.Listener.Addr().String())
	_, udpPort, _ := net.SplitHostPort(udp.LocalAddr().String())
	return target{served: served, knocked: testenv.Port(t), address: address, words: append(machine,
		"{served}", strconv.Itoa(served), "{address}", address, "{dgram}", dgram,
		"{victim}", strconv.Itoa(victim.Process.Pid), "{api}", api.URL, "{port}", port, "{udp}", udpPort,
		"{socket}", socket, "{abstract}", abstract, "{shm}", "/dev/shm",
	)}
}

// lacks reports whether a command aims at something that is not there.
func (tg target) lacks(command string) bool {
	return slices.ContainsFunc(machineDirs, func(dir string) bool {
		return strings.Contains(command, "{"+dir+"}") && !slices.Contains(tg.words, "{"+dir+"}")
	})
}

func (tg target) fill(w world, command string) string {
	return strings.NewReplacer(append([]string{"{dir}", w.dir, "{other}", w.other, "{state}", w.state, "{knocked}", strconv.Itoa(tg.knocked)}, tg.words...)...).Replace(command)
}

// stage makes a world for one attack.
func (a attack) stage(t *testing.T) world {
	w := newWorld(t)
	w.write(t, ".ssh/id", "a person's key\n")
	w.write(t, "root/.locks/book", "")
	w.write(t, "root/.locks/book+20260101-000000-a", "")
	if a.listen != "" {
		listen(t, filepath.Join(w.dir, a.listen))
	}
	if a.killed {
		if err := unix.Mkfifo(w.deed+"/begun", 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if !a.noGit {
		w.write(t, "root/book/deed/.git/HEAD", "ref: refs/heads/main\n")
		w.write(t, "root/book/deed/.git/config", plainConfig)
		for _, d := range []string{"objects", "refs", "hooks"} {
			os.MkdirAll(filepath.Join(w.deed, ".git", d), 0o755)
		}
	}
	return w
}

func (a attack) succeeded(w world, stdout []byte) bool {
	switch {
	case a.daemon != "":
		return lives(a.daemon)
	case a.effect != nil:
		return a.effect(w)
	}
	return bytes.Contains(stdout, []byte("BREACH"))
}

// uncontained runs the attack without a sandbox, below a shell, and reports
// whether it succeeds. What it starts is ended.
func (a attack) uncontained(t *testing.T, aim target) (text string, ok bool) {
	w := a.stage(t)
	cmd := exec.Command("/bin/sh", "-c", `/bin/sh -c "$0"; true`, aim.fill(w, a.command))
	cmd.Dir, cmd.Env = w.project, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.home}
	cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &stdout, &stderr, 300*time.Millisecond // a daemon holds the pipe
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if a.killed {
		awaitBegin(t, w)
		cmd.Process.Kill()
	}
	go aim.knock(w, t.Context().Done())
	state := make(chan error, 1)
	go func() { state <- cmd.Wait() }()
	for ended := false; !ended; {
		select {
		case <-state:
			ended = true
		case <-time.After(100 * time.Millisecond):
			if stateOf(cmd.Process.Pid) == "T" { // it stopped its parent
				cmd.Process.Kill()
			}
		}
	}
	for begin := time.Now(); !ok && time.Since(begin) < 8*time.Second; runtime.Gosched() {
		ok = a.succeeded(w, stdout.Bytes()) // on a busy machine what it left comes late
	}
	unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
	return stdout.String() + stderr.String(), ok
}

// TestAttacks holds each attack against every level that the machine has, and
// against no walls at all: there it must succeed, or it would prove nothing. Run
// by root, it is held by another user as well, at the same time.
func TestAttacks(t *testing.T) {
	testenv.Slow(t)
	if report := os.Getenv(reportVariable); report != "" {
		rows := attackAll(t, strings.Fields(os.Getenv(machineVariable)))
		if b, err := json.Marshal(rows); err != nil || os.WriteFile(report, b, 0o644) != nil {
			t.Fatal("the rows can't be told")
		}
		return
	}
	if os.Geteuid() != 0 {
		writeTable(t, attackAll(t, nil))
		return
	}
	machine := layOut(t)
	if testing.Short() {
		attackAll(t, machine)
		return
	}
	var user []row
	var other sync.WaitGroup
	other.Go(func() {
		t.Run("as another user", func(t *testing.T) { user = attackAsUser(t, machine) })
	})
	rows := attackAll(t, machine)
	other.Wait()
	t.Logf("%d attacks by root, %d by another user", len(rows), len(user))
	writeTable(t, joinRows(rows, user))
}

// row is how one attack was refused at each level, and who succeeds without.
type row struct {
	Attack  string
	Refused map[Level]string
	Without string
}

// attacksAtOnce is how many attacks run at the same time: they mostly wait.
const attacksAtOnce = 3

// attackAll runs every attack that this user can.
func attackAll(t *testing.T, machine []string) []row {
	step := testenv.Stride(t, 11)
	levels := levelsHere(t, newWorld(t))
	aim := newTarget(t, newWorld(t), machine)
	here := slices.DeleteFunc(slices.Clone(attacks), func(a attack) bool {
		return a.root && os.Geteuid() != 0 || aim.lacks(a.command)
	})
	if step > 1 {
		here = slices.DeleteFunc(here, func(a attack) bool {
			return slices.IndexFunc(attacks, func(b attack) bool { return b.name == a.name })%step > 0
		})
	}
	rows := make([]row, len(here))
	var all sync.WaitGroup
	var turns sync.RWMutex
	slots := make(chan struct{}, attacksAtOnce)
	for i, a := range here {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			if a.alone {
				turns.Lock()
				defer turns.Unlock()
			} else {
				turns.RLock()
				defer turns.RUnlock()
			}
			t.Run(a.name, func(t *testing.T) { rows[i] = a.run(t, levels, aim) })
		})
	}
	all.Wait()
	return rows
}

// run runs an attack at each level, and without a sandbox.
func (a attack) run(t *testing.T, levels map[Level]*Runner, aim target) row {
	r := row{Attack: a.name, Refused: map[Level]string{}, Without: "succeeds"}
	if a.daemon != "" {
		own := a.daemon + thisUser
		a.command, a.daemon = strings.ReplaceAll(a.command, a.daemon, own), own
	}
	for l := range levels {
		r.Refused[l] = attackLevel(t, a, l, aim)
	}
	if text, ok := a.uncontained(t, aim); !ok {
		t.Errorf("%s: does not succeed without a sandbox, so it proves nothing: %s", a.name, text)
	}
	return r
}

// attackLevel runs an attack at a level, and returns how it was refused.
func attackLevel(t *testing.T, a attack, l Level, aim target) string {
	w := a.stage(t)
	c := w.config(l)
	c.Memory, c.Procs, c.Disk = 300<<20, 200, 10<<20
	if strings.Contains(a.command, "{shm}") {
		c.Disk = 4 << 30
	}
	command := aim.fill(w, a.command)
	if a.killed {
		killServer(t, w, l, command)
		for begin := time.Now(); running(a.daemon) && time.Since(begin) < 5*time.Second; {
			runtime.Gosched()
		}
		if a.succeeded(w, nil) {
			t.Errorf("%s at level %s: it lives on", a.name, l)
			return "**not contained**"
		}
		return "killed with the server"
	}
	go aim.knock(w, t.Context().Done())
	var o Outcome
	listened, succeeded := true, false
	r := Probe(c)
	defer r.StopServers("")
	if a.during {
		o, succeeded = a.whileServing(t, r, w, command)
	} else if o, listened = a.held(t, r, w, command, aim); o.Err == nil {
		succeeded = a.succeeded(w, o.Stdout.Text)
	}
	if !listened {
		return "no server without network"
	}
	if o.Err != nil {
		t.Errorf("%s at level %s: not run: %v", a.name, l, o.Err)
		return "?"
	}
	if succeeded {
		t.Errorf("%s at level %s: it succeeded: %s%s%v", a.name, l, o.Stdout.Text, o.Stderr.Text, o.Notes)
		return "**not contained**"
	}
	how := refusal(o)
	if how == "" && a.silent != "" {
		return a.silent
	}
	if how == "" && !strings.Contains(a.name, "daemon") {
		t.Errorf("%s at level %s: the refusal can't be read: exit code %d, %q %q", a.name, l, o.ExitCode, o.Stdout.Text, o.Stderr.Text)
	}
	if how == "" {
		how = "killed with its command"
	}
	return how
}

// held runs the attack's command in the way that it wants. listened is false where
// it wants to be a server, and the level has none without the network.
func (a attack) held(t *testing.T, r *Runner, w world, command string, aim target) (o Outcome, listened bool) {
	s := w.spec(command)
	s.Network = a.network
	switch {
	case a.asServer:
		srv, err := r.Serve(s, aim.knocked)
		if errors.Is(err, ErrNetwork) {
			return o, false
		} else if err != nil {
			return Outcome{Err: err}, true
		}
		o = srv.Outcome()
		o.Stdout, o.Stderr = srv.Output(), srv.Output()
		return o, true
	case a.serve:
		beside := s
		beside.Command = fmt.Sprintf("exec /usr/bin/python3 -m http.server --bind 127.0.0.1 %d", aim.served)
		srv, err := r.Serve(beside, aim.served)
		if err == nil {
			defer srv.Stop()
			_, err = fetch(srv.Dial)
		}
		if err != nil && !errors.Is(err, ErrNetwork) {
			return Outcome{Err: err}, true
		}
	}
	// As in a turn: the walls of this command stood before it was known.
	before := s
	before.Command = "true"
	if o := r.Command(t.Context(), before); o.Err != nil || o.ExitCode != 0 {
		return o, true
	}
	return r.Command(t.Context(), s), true
}

var reason = regexp.MustCompile(`(?i)timed out|Resource temporarily unavailable|Network is unreachable|Read-only file system|Permission denied|Operation not permitted|No such file or directory|Directory nonexistent|must be (root|superuser)|Device or resource busy|No such process|No such file|Invalid cross-device link|Invalid argument|Connection refused|Couldn't connect|Failed to connect|File too large|No space left on device|No such device|Function not implemented|not permitted|cannot (fork|mknod)`)

// refusal finds in an outcome what told the command, or its reader, no.
func refusal(o Outcome) string {
	switch {
	case o.Exceeded != "":
		return "stopped: " + o.Exceeded
	case o.Signal == unix.SIGXFSZ || o.ExitCode == 128+int(unix.SIGXFSZ):
		return "File size limit exceeded"
	case len(o.Notes) > 0:
		return "undone, and said so"
	}
	return reason.FindString(string(o.Stderr.Text))
}

// joinRows puts what another user met into the rows of root.
func joinRows(root, user []row) []row {
	for i, r := range root {
		at := slices.IndexFunc(user, func(u row) bool { return u.Attack == r.Attack })
		if at < 0 {
			root[i].Without = "succeeds as root"
			continue
		}
		for l, how := range user[at].Refused {
			if how != r.Refused[l] {
				r.Refused[l] += "; as a user: " + how
			}
		}
	}
	return root
}

// writeTable keeps the table that SECURITY.md shows.
func writeTable(t *testing.T, rows []row) {
	levels := []Level{Bwrap, Landlock}
	var b strings.Builder
	fmt.Fprintf(&b, "| attack | %s | %s | without a sandbox |\n|%s\n", levels[0], levels[1], strings.Repeat(" --- |", 4))
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.Attack, r.Refused[levels[0]], r.Refused[levels[1]], r.Without)
	}
	const name = "testdata/attacks.md"
	if *update {
		if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(name, []byte(b.String()), 0o644)); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("%v: run the test with -update", err)
	}
	// How an attack is refused differs with kernels; that it is there must not.
	for _, r := range rows {
		if !bytes.Contains(have, []byte("| "+r.Attack+" |")) {
			t.Errorf("%s lacks %q: run the test with -update", name, r.Attack)
		}
	}
}
