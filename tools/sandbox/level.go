package sandbox

import (
	"os"
	"syscall"

	"vibey/tools/layer"
)

// Level names the walls around a command, as results and the client show it.
type Level string

// The levels, from the strongest to none at all.
const (
	// Bwrap: namespaces by the system's bubblewrap, and within them Landlock,
	// seccomp and limits.
	Bwrap Level = "bwrap"
	// Seatbelt: a generated profile for macOS' sandbox-exec. Untested.
	Seatbelt Level = "sandbox-exec"
	// Landlock: Landlock, seccomp and limits, without namespaces.
	Landlock Level = "landlock"
	// Container: this program runs in its own image; the walls of Landlock as
	// far as the kernel has them, within those of the container.
	Container Level = "container"
	// None: a command may do whatever the server's user may do.
	None Level = "none"
)

// Strongest is every level in the order in which Probe should try them.
func Strongest() []Level { return []Level{Bwrap, Seatbelt, Landlock, Container, None} }

// HoldsReadOnly reports whether this Runner can keep a command from writing anything
// that outlives it. Landlock, and sandbox-exec, keep it from the files' content and
// names; their modes and times it may still set.
func (r *Runner) HoldsReadOnly() bool {
	switch r.Level() {
	case Bwrap, Seatbelt, Landlock:
		return true
	case Container:
		return truncationHeld()
	}
	return false
}

// walls puts one level's walls around a command.
type walls interface {
	// look finds what the walls of a command are to be made of. It changes nothing
	// that a command could see.
	look(s Spec) (*layout, error)
	// build makes them, and returns how the command is started. The job's files are
	// open until close.
	build(l *layout, s Spec) (*job, error)
}

// job is one command with its walls, ready to be started.
type job struct {
	argv  []string
	files []*os.File // what the process gets, from number 3 on; after the gate, without a leash
	leash *os.File   // the socket to the supervisor that argv is; nil where it is none
	env   []string
	// order is the pipe at whose other end the first process waits for the command;
	// nil where it has it already.
	order *os.File
	heard *os.File // the end at which the first process reads: what is left there it has not heard
	// credential is whom the process runs as, nil for the same as this one.
	credential *syscall.Credential
	// begun are called once the process runs, with its number.
	begun []func(pid int)
	// end, if there is one, ends all processes of the command and reports whether
	// it can tell that none is left. The process needs no mark then, nor to wait
	// at the gate for it.
	end func() bool
	// layers are what the command writes to instead of its deed and, of one that is tried,
	// its HOME.
	layers []*layer.Layer
	// cleanups run after everything of the command was killed, the last first.
	// What they return is said in the outcome, if it is not empty.
	cleanups []func() string
}

func (j *job) cleanup(f func() string) { j.cleanups = append(j.cleanups, f) }

// close runs the cleanups, and returns what they say.
func (j *job) close() (notes []string) {
	for i := len(j.cleanups) - 1; i >= 0; i-- {
		if n := j.cleanups[i](); n != "" {
			notes = append(notes, n)
		}
	}
	j.cleanups = nil
	return notes
}

// open is level none where this system has no supervisor: the command alone.
type open struct{}

func (open) look(Spec) (*layout, error) { return new(layout), nil }

func (open) build(_ *layout, s Spec) (*job, error) {
	return &job{argv: []string{"/bin/sh", "-c", s.Command}}, nil
}
