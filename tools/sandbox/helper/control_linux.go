package helper

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// The helper stands in the command's network, the server does not, and neither
// can enter the other's. A socket stays in the network where it was made, so
// the helper makes them and hands them over, through the control socket.

// ControlPair makes a control socket: the server's end and the helper's.
func ControlPair() (ours, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("make a control socket: %w", err)
	}
	unix.SetNonblock(fds[0], true) // so that the runtime can wait for it, and Close wakes the reader
	return os.NewFile(uintptr(fds[0]), "control"), os.NewFile(uintptr(fds[1]), "control"), nil
}

// Receive takes one message and the descriptor with it, -1 where there is none.
func Receive(control *os.File) (text string, fd int, err error) {
	raw, err := control.SyscallConn()
	if err != nil {
		return "", -1, err
	}
	buf, oob := make([]byte, 512), make([]byte, unix.CmsgSpace(4*4))
	var n, oobn int
	var inner error
	err = raw.Read(func(s uintptr) bool {
		n, oobn, _, _, inner = unix.Recvmsg(int(s), buf, oob, unix.MSG_CMSG_CLOEXEC)
		return inner != unix.EAGAIN && inner != unix.EINTR
	})
	if err = errors.Join(err, inner); err != nil {
		return "", -1, err
	}
	fd = -1
	messages, _ := unix.ParseSocketControlMessage(oob[:oobn])
	for _, m := range messages {
		rights, _ := unix.ParseUnixRights(&m)
		for _, f := range rights {
			if fd == -1 {
				fd = f
			} else {
				unix.Close(f) // the helper sends one: this came from another program
			}
		}
	}
	if n == 0 && fd == -1 {
		return "", -1, io.EOF
	}
	return string(buf[:n]), fd, nil
}

// loopbacks are the addresses at which "localhost" may be found.
var loopbacks = []unix.Sockaddr{&unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}, &unix.SockaddrInet6{Addr: [16]byte{15: 1}}}

// at returns a loopback address with a port, and its family.
func at(a unix.Sockaddr, port int) (unix.Sockaddr, int) {
	if v4, ok := a.(*unix.SockaddrInet4); ok {
		return &unix.SockaddrInet4{Addr: v4.Addr, Port: port}, unix.AF_INET
	}
	return &unix.SockaddrInet6{Addr: a.(*unix.SockaddrInet6).Addr, Port: port}, unix.AF_INET6
}

// offerListeners hands a listener for each port to the server, then its own end
// of the control socket is done.
func offerListeners(ports []int) error {
	defer unix.Close(ControlFD)
	for _, port := range ports {
		for _, a := range loopbacks {
			addr, family := at(a, port)
			fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
			if err != nil {
				continue // a machine without IPv6
			}
			unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
			err = unix.Bind(fd, addr)
			if err == nil {
				err = unix.Listen(fd, 128)
			}
			if err == nil {
				err = unix.Sendmsg(ControlFD, []byte(strconv.Itoa(port)), unix.UnixRights(fd), nil, 0)
			}
			unix.Close(fd)
			if err != nil && family == unix.AF_INET {
				return fmt.Errorf("offer port %d: %w", port, err)
			}
		}
	}
	return nil
}

// connectOnRequest connects to the port each time that the server sends a byte,
// and hands the connection over, or the error in words.
func connectOnRequest(control, port int) {
	var ask [1]byte
	for {
		n, err := unix.Read(control, ask[:])
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return
		}
		fd, err := connectLoopback(port)
		if err != nil {
			unix.Sendmsg(control, []byte(err.Error()), nil, nil, unix.MSG_NOSIGNAL)
			continue
		}
		unix.Sendmsg(control, []byte("ok"), unix.UnixRights(fd), nil, unix.MSG_NOSIGNAL)
		unix.Close(fd)
	}
}

func connectLoopback(port int) (fd int, err error) {
	err = unix.ECONNREFUSED
	for _, a := range loopbacks {
		addr, family := at(a, port)
		if fd, err = unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0); err != nil {
			continue
		}
		if err = unix.Connect(fd, addr); err == nil {
			return fd, nil
		}
		unix.Close(fd)
	}
	return -1, err
}
