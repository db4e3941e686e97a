//go:build !linux

package layer

import (
	"os"

	"golang.org/x/sys/unix"
)

func clone(to, from *os.File) error { return unix.ENOTSUP }
