package layer

import (
	"io/fs"
	"os"

	"vibey/tools/git"
)

// gitRules returns what git.Judge says of the names that a command touched. lower is the
// deed, opened by its absolute path; upper has all that was touched and not deleted.
//
// A verdict that is refused must not count, and is told where it has a Why. One with a
// Text is put into upper (see replace) before anything is hashed, and its Why is told of
// what counts. One with only a Why is told.
func gitRules(touched []git.Touched, lower, upper *os.Root, human git.Human) map[string]git.Verdict {
	after := merged{lower, upper, make(map[string]bool, len(touched))}
	names := make([]string, len(touched))
	for i, t := range touched {
		after.gone[t.Name] = t.Gone
		names[i] = t.Name
	}
	return git.Judge(touched, git.Views{Before: lower, After: after, Dir: lower.Name(), Named: git.NamedIn(lower.Name(), human, names)})
}

// merged is the deed as it would be with all that a command touched.
type merged struct {
	lower, upper *os.Root
	gone         map[string]bool // of what was touched
}

func (m merged) root(name string) *os.Root {
	if _, touched := m.gone[name]; touched {
		return m.upper
	}
	return m.lower
}

func (m merged) Lstat(name string) (fs.FileInfo, error) {
	if m.gone[name] {
		return nil, fs.ErrNotExist
	}
	return m.root(name).Lstat(name)
}

func (m merged) ReadFile(name string) ([]byte, error) { return m.root(name).ReadFile(name) }

// replace gives a file of a layer other text, in a new inode: by another name of the old
// one a server could write it later.
func replace(upper *os.Root, name string, text []byte) error {
	err := upper.Remove(name)
	if err == nil {
		err = upper.WriteFile(name, text, 0o644)
	}
	return err
}
