package sandbox

import (
	"context"
	"errors"
	"maps"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"

	"vibey/tools/sandbox/helper"
)

// isInet reports whether a descriptor is a stream of the internet. A command that
// takes over the helper's end must not make us read anything else.
func isInet(fd int) bool {
	family, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DOMAIN)
	kind, err2 := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	return err == nil && err2 == nil && (family == unix.AF_INET || family == unix.AF_INET6) && kind == unix.SOCK_STREAM
}

// dialer returns what connects to the port of the helper at the other end.
func dialer(control *os.File) func() (net.Conn, error) {
	var mu sync.Mutex
	return func() (net.Conn, error) {
		mu.Lock()
		defer mu.Unlock()
		if _, err := control.Write([]byte{1}); err != nil {
			return nil, err
		}
		text, fd, err := helper.Receive(control)
		if err != nil {
			return nil, err
		}
		if fd == -1 {
			return nil, errors.New(text)
		}
		f := os.NewFile(uintptr(fd), "connection")
		defer f.Close()
		if !isInet(fd) {
			return nil, errors.New("not a connection")
		}
		return net.FileConn(f)
	}
}

// ports are those at which a command meets the project's servers. With the network
// it meets them on the server's own loopback.
func (l *serverList) ports(s Spec) (ports []int) {
	if s.Network || s.serve != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(l.running(s)))
}

// connect puts into a plan how the command and the project's servers meet at the
// plan's ports.
func (l *serverList) connect(p *helper.Plan, s Spec, j *job) error {
	if s.Network || s.serve == nil && len(p.Listen) == 0 || s.serve != nil && s.serve.pipes != nil {
		return nil
	}
	ours, theirs, err := helper.ControlPair()
	if err != nil {
		return err
	}
	j.files = append(j.files, theirs)
	j.cleanup(func() string { ours.Close(); theirs.Close(); return "" })
	j.begun = append(j.begun, func(int) { theirs.Close() }) // else its end is never seen
	if s.serve != nil {
		p.Serve = s.serve.Port
		s.serve.reach(dialer(ours))
		return nil
	}
	running := l.running(s)
	ctx, cancel := context.WithCancel(context.Background())
	j.cleanup(func() string { cancel(); return "" })
	j.begun = append(j.begun, func(int) {
		go l.guard("taking a command's listeners", func() error { answerOffers(ctx, ours, running); return nil })
	})
	return nil
}

// answerOffers takes the command's listeners and relays what comes to them,
// until the control socket is closed, which the end of the command does. What it
// took is closed when ctx ends: each holds the command's network.
func answerOffers(ctx context.Context, control *os.File, running map[int]*Server) {
	for {
		text, fd, err := helper.Receive(control)
		if err != nil {
			return
		}
		port, _ := strconv.Atoi(text)
		server := running[port]
		if fd == -1 {
			continue
		}
		f := os.NewFile(uintptr(fd), "listener")
		if server == nil || !isInet(fd) {
			f.Close()
			continue
		}
		listener, err := net.FileListener(f)
		f.Close()
		if err == nil {
			relayed, end := context.WithCancel(server.ctx)
			context.AfterFunc(ctx, end)
			server.relay(relayed, listener, nil)
		}
	}
}
