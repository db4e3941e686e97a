package sandbox

import (
	"os"

	"golang.org/x/sys/unix"
)

// unread returns how many bytes wait at the reading end of a pipe.
func unread(pipe *os.File) int {
	n, err := unix.IoctlGetInt(int(pipe.Fd()), unix.TIOCINQ)
	if err != nil {
		return 0
	}
	return n
}
