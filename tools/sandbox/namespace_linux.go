package sandbox

import (
	"encoding/json"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"vibey/tools/sandbox/helper"
)

// namespace is the processes of one command at level bwrap. The kernel ends them
// all with the first of them, and that one is not gone before they are: so they
// need not be looked for among the machine's processes, of which each takes
// 15 µs to look at.
type namespace struct {
	info  *os.File // where bwrap tells the number of the first process
	known chan struct{}
	first int // a descriptor of the first process, -1 where it is not known
}

// newNamespace returns one, and the file that bwrap must be given with --info-fd.
func newNamespace() (n *namespace, theirs *os.File, err error) {
	n = &namespace{known: make(chan struct{}), first: -1}
	n.info, theirs, err = os.Pipe()
	return n, theirs, err
}

// read waits for bwrap to tell the first process.
func (n *namespace) read(bwrap int) {
	defer close(n.known)
	var told struct {
		Child int `json:"child-pid"`
	}
	if json.NewDecoder(n.info).Decode(&told) != nil {
		return // it has not come that far
	}
	fd, err := unix.PidfdOpen(told.Child, 0)
	if err != nil {
		return // a kernel before 5.3, or it has ended
	}
	if parent, _, ok := new(helper.Tree).Parent(told.Child); !ok || parent != bwrap { // it has ended, and another one has its number
		unix.Close(fd)
		return
	}
	n.first = fd
}

// end ends all processes of the command and waits until they are gone. It reports
// false where it can't tell.
func (n *namespace) end() bool {
	n.info.SetReadDeadline(time.Now().Add(killGrace))
	<-n.known
	if n.first < 0 {
		return false
	}
	unix.PidfdSendSignal(n.first, unix.SIGKILL, nil, 0)
	poll := []unix.PollFd{{Fd: int32(n.first), Events: unix.POLLIN}}
	for begin := time.Now(); time.Since(begin) < helper.Unkillable; {
		if ready, err := unix.Poll(poll, int((helper.Unkillable-time.Since(begin)).Milliseconds())+1); err != unix.EINTR {
			return ready == 1
		}
	}
	return false
}

func (n *namespace) close() {
	n.info.Close()
	if n.first >= 0 {
		unix.Close(n.first)
	}
}
