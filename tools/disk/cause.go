package disk

import (
	"errors"
	"io/fs"
	"os"
)

// Cause returns the error within an *fs.PathError or *os.LinkError, which name
// paths of the machine; any other error as it is.
func Cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err
	}
	return err
}
