package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrAway is a folder that is held open and that its name does not lead to any more.
// Every *AwayError is of this kind.
var ErrAway = errors.New("a folder went away")

// AwayError is ErrAway with the folder's name in words, such as "the state dir".
type AwayError struct{ What string }

func (e *AwayError) Error() string {
	return e.What + " is not where it was found: its disk was unmounted, or the folder was moved, renamed or removed. What was acknowledged before is kept in it. This is not: it may stand there or nowhere. Put the folder back, and work goes on without a restart; if it does not, start the server anew"
}

// Is makes an AwayError an ErrAway.
func (e *AwayError) Is(target error) bool { return target == ErrAway }

// MakeIn makes a folder for its owner alone where it is missing, but none above it: those
// went away, and what was made would stand in their place when they are brought back.
func MakeIn(path string) error {
	err := os.Mkdir(path, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// Place is an open folder and the names that led to it. Who holds a folder open can write
// there after its disk was unmounted lazily, or after it was moved, when nobody finds the
// text any more: so whoever acknowledges a write asks first whether the place stands.
type Place struct {
	what  string
	names []string // absolute: the name that was given, and the one without links
	held  fs.FileInfo
}

// PlaceOf returns the place of a folder to which path led when it was opened as dir. what
// is its name in words. dir stays open as long as the place is used.
func PlaceOf(what string, dir *os.Root, path string) (Place, error) {
	held, err := dir.Stat(".")
	if err != nil {
		return Place{}, err
	}
	given, err := filepath.Abs(path)
	if err != nil {
		return Place{}, err
	}
	names := []string{given}
	if real, err := filepath.EvalSymlinks(given); err == nil && real != given {
		names = append(names, real)
	}
	return Place{what, names, held}, nil
}

// Stands returns an *AwayError if a name of the place leads elsewhere by now, or nowhere.
// It costs a stat or two.
func (p Place) Stands() error {
	for _, name := range p.names {
		if now, err := os.Stat(name); err != nil || !os.SameFile(now, p.held) {
			return &AwayError{p.what}
		}
	}
	return nil
}
