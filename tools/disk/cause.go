package disk

import (
	"errors"
	"io/fs"
	"os"
	"strings"
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

// Words returns the text of err without the paths of the machine that the
// *fs.PathErrors and *os.LinkErrors in it name.
func Words(err error) string {
	text := err.Error()
	for _, e := range within(err) {
		text = strings.ReplaceAll(text, e.Error(), Cause(e).Error())
	}
	return text
}

// within returns the errors that name paths and that err is or wraps.
func within(err error) (all []error) {
	switch e := err.(type) {
	case *fs.PathError, *os.LinkError:
		return []error{err}
	case interface{ Unwrap() error }:
		return within(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			all = append(all, within(one)...)
		}
	}
	return all
}
