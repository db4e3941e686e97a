package helper

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// init makes any program that imports this package its own helper, tests
// included. It runs before the rest of the program is set up, which a command
// would else pay for with each start.
func init() {
	if len(os.Args) == 4 && os.Args[1] == helperWord {
		runtime.LockOSThread()
		err := help(os.Args[2], os.Args[3])
		fmt.Fprintf(os.Stderr, "sandbox: the command was not run: %v\n", err)
		os.Exit(126)
	}
}

// help puts the walls around its own process and becomes the command. It comes
// back only with an error.
func help(text, command string) error {
	var p Plan
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return fmt.Errorf("read the plan: %w", err)
	}
	if p.Supervise {
		return supervise(p, command)
	}
	if err := os.Chdir(p.Dir); err != nil {
		return err
	}
	if len(p.Listen) > 0 {
		if err := offerListeners(p.Listen); err != nil {
			return err
		}
	}
	if p.Serve != 0 {
		return serve(p, command)
	}
	return p.become(command)
}

// serve starts the command as a child, and then connects the server to the
// command's port whenever it is asked, from within this network.
func serve(p Plan, command string) error {
	port := p.Serve
	unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // the child must not read or steer it
	if p.Order != 0 {
		var err error
		if command, err = p.awaitOrder(); err != nil {
			return err
		}
	}
	p.Serve, p.Listen, p.Order = 0, nil, 0
	argv := p.Argv(command)
	cmd := exec.Command(argv[0], argv[1:]...)
	self := os.NewFile(SelfFD, "self")
	cmd.ExtraFiles = []*os.File{nil, self}
	cmd.Stdout, cmd.Stderr, cmd.Env = os.Stdout, os.Stderr, os.Environ()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return err
	}
	go connectOnRequest(ControlFD, port)
	err := cmd.Wait()
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		w := e.Sys().(syscall.WaitStatus)
		code, _ := Exit(&w)
		os.Exit(code)
	}
	if err == nil {
		os.Exit(0)
	}
	return err
}

// become gives up what the plan does not grant, and executes the command, once it
// is told. All of it holds for this thread, and execution makes the thread the
// process.
func (p Plan) become(command string) error {
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{LayerWords, p.mountOverlays},
		{"set limits", p.Limits.set},
		{"drop capabilities", dropCapabilities},
		{"forbid new privileges", func() error { return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }},
		{"close the folders", p.restrict},
		{"close descriptors", func() error { return unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC) }},
		{"filter system calls", p.install},
	} {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	if p.Order != 0 {
		var err error
		if command, err = p.awaitOrder(); err != nil {
			return err
		}
	}
	return syscall.Exec("/bin/sh", []string{"/bin/sh", "-c", command}, os.Environ())
}

// install puts the filter of system calls on this thread. Where the supervisor
// has to decide about signals, it gets the descriptor at which they arrive.
func (p Plan) install() error {
	r := p.rules()
	fd, err := thisProcessor.filter(r).install(r.ask)
	if err != nil || !r.ask {
		return err
	}
	if err := unix.Sendmsg(askFD, []byte{0}, unix.UnixRights(fd), nil, 0); err != nil {
		return fmt.Errorf("hand over the signals: %w", err)
	}
	return nil
}

// set sets the limits, none above what already holds.
func (l Limits) set() error {
	for _, one := range []struct {
		resource int
		n        uint64
	}{
		{unix.RLIMIT_NPROC, l.Procs}, {unix.RLIMIT_FSIZE, l.File}, {unix.RLIMIT_CORE, 0},
	} {
		var now unix.Rlimit
		if err := unix.Prlimit(0, one.resource, nil, &now); err != nil {
			return err
		}
		n := min(one.n, now.Max)
		if err := unix.Prlimit(0, one.resource, &unix.Rlimit{Cur: n, Max: n}, nil); err != nil {
			return err
		}
	}
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return err
	}
	n := min(l.Files, files.Max)
	// The package syscall's own: else Exec would put back what the program began with.
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
		return err
	}
	// Where memory runs out all the same, the kernel takes the command first.
	// A system without this file has no such choice.
	os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	return nil
}

// dropCapabilities leaves none, not even to root.
func dropCapabilities() error {
	for c := 0; unix.Prctl(unix.PR_CAPBSET_READ, uintptr(c), 0, 0, 0) == nil; c++ {
		unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(c), 0, 0, 0) // refused where there is none to drop it with
	}
	unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	h := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&h, &none[0])
}
