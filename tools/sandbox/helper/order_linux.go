package helper

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// awaitOrder waits for the command: its length, and the text. A part of one is an
// error, and so is a server that has ended since: bubblewrap ties the processes to the
// server step by step while it builds the walls, and notices no death before that.
func (p Plan) awaitOrder() (command string, err error) {
	order := os.NewFile(uintptr(p.Order), "order")
	defer order.Close()
	var length [4]byte
	if _, err := io.ReadFull(order, length[:]); err != nil {
		return "", fmt.Errorf("it was not told: %w", err)
	}
	text := make([]byte, binary.NativeEndian.Uint32(length[:]))
	if _, err := io.ReadFull(order, text); err != nil {
		return "", fmt.Errorf("it was not told: %w", err)
	}
	if p.Own {
		if err := awaitTied(); err != nil {
			return "", err
		}
	}
	if hungUp(p.Order) { // the server holds its end for as long as the command runs
		return "", errors.New("the server has ended")
	}
	return string(text), nil
}

// awaitTied returns once the first process of this namespace, bubblewrap's, will be
// killed with the server. It asks the kernel for that just before it waits for its
// children, which is the first time that it sleeps.
func awaitTied() error {
	for {
		stat, err := os.ReadFile("/proc/1/stat") // "1 (bwrap) S …"
		if err != nil {
			return fmt.Errorf("look at the first process: %w", err)
		}
		if i := bytes.LastIndexByte(stat, ')'); i >= 0 && bytes.HasPrefix(stat[i+1:], []byte(" S ")) {
			return nil
		}
		time.Sleep(50 * time.Microsecond)
	}
}

// hungUp reports whether the other end of a pipe is closed.
func hungUp(fd int) bool {
	poll := []unix.PollFd{{Fd: int32(fd)}}
	for {
		if _, err := unix.Poll(poll, 0); err != unix.EINTR {
			return err != nil || poll[0].Revents&unix.POLLHUP != 0
		}
	}
}
