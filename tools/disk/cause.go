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
	for _, e := range Causes[*fs.PathError](err) {
		text = strings.ReplaceAll(text, e.Error(), e.Err.Error())
	}
	for _, e := range Causes[*os.LinkError](err) {
		text = strings.ReplaceAll(text, e.Error(), e.Err.Error())
	}
	return text
}

// Causes returns the errors of a type that err is or wraps.
func Causes[T error](err error) (all []T) {
	switch e := err.(type) {
	case T:
		return []T{e}
	case interface{ Unwrap() error }:
		return Causes[T](e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			all = append(all, Causes[T](one)...)
		}
	}
	return all
}
