package helper

import (
	"encoding/binary"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// seen is struct seccomp_data.
type seen struct {
	number, arch uint32
	args         [6]uint64
}

// verdict runs the filter as the kernel does.
func (b bpf) verdict(t testing.TB, s seen) uint32 {
	t.Helper()
	var data [64]byte
	binary.LittleEndian.PutUint32(data[offNumber:], s.number)
	binary.LittleEndian.PutUint32(data[offArch:], s.arch)
	for i, a := range s.args {
		binary.LittleEndian.PutUint64(data[offArgs+8*i:], a)
	}
	var word uint32
	for at := 0; at < len(b); at++ {
		in := b[at]
		jump := func(yes bool) {
			if yes {
				at += int(in.Jt)
			} else {
				at += int(in.Jf)
			}
		}
		switch in.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			word = binary.LittleEndian.Uint32(data[in.K:])
		case unix.BPF_ALU | unix.BPF_AND | unix.BPF_K:
			word &= in.K
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			jump(word == in.K)
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			jump(word >= in.K)
		case unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K:
			jump(word&in.K != 0)
		case unix.BPF_RET | unix.BPF_K:
			return in.K
		default:
			t.Fatalf("instruction %d is none that a filter has: %+v", at, in)
		}
	}
	t.Fatal("the filter has no end")
	return 0
}

var verdictNames = map[uint32]string{allowed: "allowed", refused: "EPERM", unknown: "ENOSYS", asked: "asked"}

// sources is where golang.org/x/sys is.
var sources = sync.OnceValues(func() ([]byte, error) {
	return exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/sys").Output()
})

// numbersOf reads the calls of a processor from golang.org/x/sys.
func numbersOf(t *testing.T, processor string) map[string]uint32 {
	dir, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "unix", "zsysnum_linux_"+processor+".go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	numbers := map[string]uint32{}
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(v.Names[0].Name, "SYS_") {
			k, err := strconv.ParseUint(v.Values[0].(*ast.BasicLit).Value, 10, 32)
			if err != nil {
				t.Fatal(err)
			}
			numbers[strings.ToLower(v.Names[0].Name[len("SYS_"):])] = uint32(k)
		}
		return true
	})
	return numbers
}

// processors are both, whatever this test runs on.
var processors = map[string]processor{"amd64": amd64, "arm64": arm64}

var update = flag.Bool("update", false, "write testdata/syscalls.txt anew")

// filters returns the filter of a processor, made once.
var filters = func() func(string, rules) bpf {
	type key struct {
		processor string
		rules
	}
	made := map[key]bpf{}
	return func(p string, r rules) bpf {
		k := key{p, r}
		if made[k] == nil {
			made[k] = processors[p].filter(r)
		}
		return made[k]
	}
}()

var levelsRules = []struct {
	name string
	rules
}{
	{"bwrap", rules{own: true}},
	{"bwrap, network", rules{own: true, network: true}},
	{"landlock", rules{}},
	{"landlock, network", rules{network: true}},
	{"landlock, no scope", rules{ask: true}},
}

// TestNumbers: each call that the filter names has the right number on both
// processors, and the newest known call is the newest that there is.
func TestNumbers(t *testing.T) {
	named := slices.Concat(refusedCalls, unknownCalls, sharedCalls, signalCalls, []call{socketCall, socketpairCall, fcntlCall, ioctlCall, pidfdSendSignalCall})
	for _, c := range calls {
		named = append(named, c.call)
	}
	for name, p := range processors {
		numbers := numbersOf(t, name)
		if newest := slices.Max(slices.Collect(maps.Values(numbers))); newest != newestCall {
			t.Errorf("%s: the newest call is %d, not %d: look at each that is new, then change the number", name, newest, newestCall)
		}
		for _, c := range named {
			want := none
			if n, ok := numbers[c.name]; ok {
				want = int(n)
			}
			if got := p.number(c); got != want {
				t.Errorf("%s on %s is %d, not %d", c.name, name, got, want)
			}
		}
	}
}

// TestVerdicts keeps what becomes of every call, at each level and on both
// processors. -update writes it anew.
func TestVerdicts(t *testing.T) {
	numbers, names := map[string]map[string]uint32{}, map[string]bool{}
	for p := range processors {
		numbers[p] = numbersOf(t, p)
		for n := range numbers[p] {
			names[n] = true
		}
	}
	verdict := func(r rules, processor, name string) string {
		n, ok := numbers[processor][name]
		if !ok {
			return "-"
		}
		return summary(t, filters(processor, r), processors[processor], n)
	}
	var b strings.Builder
	b.WriteString("# What becomes of each system call. args: it depends on them. -: there is no such call. a/b: on amd64 and on arm64.\ncall")
	for _, l := range levelsRules {
		b.WriteString("\t" + l.name)
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		b.WriteString("\n" + name)
		for _, l := range levelsRules {
			v, arm := verdict(l.rules, "amd64", name), verdict(l.rules, "arm64", name)
			if v != arm {
				v += "/" + arm
			}
			b.WriteString("\t" + v)
		}
	}
	b.WriteString("\n")
	const name = "testdata/syscalls.txt"
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if have, err := os.ReadFile(name); err != nil || string(have) != b.String() {
		t.Errorf("%s is not what the filters say (%v): look, then run the test with -update", name, err)
	}
}

// summary tries a call with each argument that the filter compares with.
func summary(t *testing.T, b bpf, p processor, number uint32) string {
	first := b.verdict(t, seen{number: number, arch: p.arch})
	for _, in := range b {
		for i := range 6 {
			s := seen{number: number, arch: p.arch}
			for k := range s.args {
				s.args[k] = 1 << 33 // an address, say
			}
			s.args[i] = uint64(in.K)
			if b.verdict(t, s) != first {
				return "args"
			}
		}
	}
	return verdictNames[first]
}

// TestArguments holds the rules that look at arguments.
func TestArguments(t *testing.T) {
	numbers := map[string]map[string]uint32{"amd64": numbersOf(t, "amd64"), "arm64": numbersOf(t, "arm64")}
	high := uint64(1) << 40 // has no meaning where the kernel takes 32 bits
	for _, c := range []struct {
		name  string
		args  []uint64
		level string // "" is all of them
		want  uint32
	}{
		{"clone", []uint64{unix.CLONE_VM | unix.CLONE_VFORK | uint64(unix.SIGCHLD)}, "", allowed},
		{"clone", []uint64{unix.CLONE_VM | unix.CLONE_THREAD | unix.CLONE_SIGHAND | unix.CLONE_PIDFD}, "", allowed},
		{"clone", []uint64{unix.CLONE_NEWUSER | uint64(unix.SIGCHLD)}, "", refused},
		{"clone", []uint64{unix.CLONE_PARENT | uint64(unix.SIGCHLD)}, "", refused},
		{"unshare", []uint64{unix.CLONE_NEWNS}, "", refused},
		{"unshare", []uint64{unix.CLONE_FILES}, "", allowed},
		{"clone3", nil, "", unknown},
		{"openat2", nil, "", unknown},
		{"ioctl", []uint64{0, unix.TIOCSTI}, "", refused},
		{"ioctl", []uint64{0, unix.TIOCSTI | high}, "", refused},
		{"ioctl", []uint64{0, tioclinux}, "", refused},
		{"ioctl", []uint64{0, unix.TCGETS}, "", allowed},
		{"ioctl", []uint64{0, fiosetown}, "landlock", refused},
		{"fcntl", []uint64{0, unix.F_SETSIG, 9}, "landlock", refused},
		{"fcntl", []uint64{0, unix.F_SETOWN, 1}, "landlock, network", refused},
		{"fcntl", []uint64{0, unix.F_SETFL, 1}, "landlock", allowed},
		{"fchmod", []uint64{3, 0o4755}, "", refused},
		{"fchmodat", []uint64{3, 0, 0o2755}, "", refused},
		{"fchmodat", []uint64{3, 0, 0o1777}, "", allowed},
		{"openat", []uint64{3, 0, unix.O_CREAT, 0o4755}, "", refused},
		{"setrlimit", []uint64{Locks}, "", refused},
		{"setrlimit", []uint64{unix.RLIMIT_NOFILE}, "", allowed},
		{"prlimit64", []uint64{0, Locks, 0, high}, "", allowed}, // only asks
		{"prlimit64", []uint64{0, Locks, 16}, "", refused},
		{"prlimit64", []uint64{0, Locks, high}, "", refused}, // an address, of which the low half may be 0
		{"prlimit64", []uint64{0, unix.RLIMIT_NOFILE, high}, "", allowed},
		{"prlimit64", []uint64{7, unix.RLIMIT_CPU, high}, "", refused},
		{"prlimit64", []uint64{7, unix.RLIMIT_CPU, 16}, "", refused},
		{"prlimit64", []uint64{7, unix.RLIMIT_CPU, 0}, "", allowed},
		{"socket", []uint64{unix.AF_UNIX, unix.SOCK_STREAM}, "bwrap", allowed},
		{"socket", []uint64{unix.AF_UNIX, unix.SOCK_STREAM}, "landlock", refused},
		{"socket", []uint64{unix.AF_UNIX, unix.SOCK_STREAM}, "landlock, network", refused},
		{"socket", []uint64{unix.AF_INET, unix.SOCK_STREAM}, "landlock", refused},
		{"socket", []uint64{unix.AF_INET6, unix.SOCK_DGRAM}, "landlock", refused},
		{"socket", []uint64{unix.AF_INET, unix.SOCK_STREAM}, "landlock, network", allowed},
		{"socket", []uint64{unix.AF_INET, unix.SOCK_DGRAM}, "bwrap", allowed},
		{"socket", []uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE}, "bwrap", allowed},
		{"socket", []uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE}, "landlock", refused},
		{"socket", []uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_NETFILTER}, "", refused},
		{"socket", []uint64{unix.AF_VSOCK, unix.SOCK_STREAM}, "", refused},
		{"socket", []uint64{unix.AF_PACKET, unix.SOCK_RAW}, "", refused},
		{"socket", []uint64{unix.AF_ALG, unix.SOCK_SEQPACKET}, "", refused},
		{"socketpair", []uint64{unix.AF_UNIX, unix.SOCK_STREAM | unix.SOCK_CLOEXEC}, "landlock", allowed},
		{"socketpair", []uint64{unix.AF_UNIX, unix.SOCK_DGRAM | unix.SOCK_CLOEXEC}, "landlock", refused},
		{"socketpair", []uint64{unix.AF_UNIX, unix.SOCK_RAW}, "landlock", refused},
		{"socketpair", []uint64{unix.AF_UNIX, unix.SOCK_DGRAM}, "bwrap", allowed},
		{"kill", []uint64{1, 9}, "landlock", allowed}, // Landlock looks
		{"kill", []uint64{1, 9}, "landlock, no scope", asked},
		{"pidfd_send_signal", []uint64{3, 9}, "landlock, no scope", unknown},
		{"shmget", []uint64{1, 1 << 20}, "landlock", refused},
		{"shmget", []uint64{1, 1 << 20}, "bwrap", allowed},
	} {
		for name, p := range processors {
			number := numbers[name][c.name]
			for _, l := range levelsRules {
				s := seen{number: number, arch: p.arch}
				copy(s.args[:], c.args)
				if got := filters(name, l.rules).verdict(t, s); (c.level == "" || c.level == l.name) && got != c.want {
					t.Errorf("%s, %s: %s%v is %s, not %s", name, l.name, c.name, c.args, verdictNames[got], verdictNames[c.want])
				}
			}
		}
	}
}

// TestForeignNumbers: calls of another kind of processor, of x32, and those that
// are newer than this program are as if they were not there.
func TestForeignNumbers(t *testing.T) {
	for name, p := range processors {
		for _, l := range levelsRules {
			b := p.filter(l.rules)
			if len(b) > 4096 {
				t.Errorf("%s, %s: %d instructions are more than the kernel takes", name, l.name, len(b))
			}
			for n := range uint32(1024) {
				for _, arch := range []uint32{unix.AUDIT_ARCH_I386, unix.AUDIT_ARCH_ARM, unix.AUDIT_ARCH_X86_64, unix.AUDIT_ARCH_AARCH64, unix.AUDIT_ARCH_X86_64 &^ 0x40000000, 0} {
					if got := b.verdict(t, seen{number: n, arch: arch}); arch != p.arch && got != unknown {
						t.Fatalf("%s, %s: call %d of %x is %s", name, l.name, n, arch, verdictNames[got])
					}
				}
				for _, n := range []uint32{n + newestCall + 1, n | 0x40000000, ^n} {
					if got := b.verdict(t, seen{number: n, arch: p.arch}); got != unknown {
						t.Fatalf("%s, %s: call %#x is %s", name, l.name, n, verdictNames[got])
					}
				}
			}
		}
	}
}
