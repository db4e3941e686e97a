// Package commit puts the files that a turn changed into a commit of the deed's
// repository, and nothing else: what a human has staged stays staged, and what they
// changed meanwhile stays as it is.
//
//	done, err := commit.Commit(ctx, runner, commit.Spec{Project: dir, Deed: deed, Files: files, Message: commit.Message(text)})
//
// Git runs in the sandbox, as commands of agents do, and runs no program that the
// repository, its config or its attributes name: no hook, no filter, no signature, no
// editor. Only a deed that is the top of a work tree, with its repository in it, is
// committed to; the sandbox writes no other. Nothing is pushed.
// Source: vibey/vibey/doc-reference.md, "A turn".
package commit

import (
	"cmp"
	"context"
	"io/fs"
	"strings"
	"time"

	"vibey/tools/sandbox"
)

// Limit is how long a commit takes at most, unless a Spec says otherwise.
const Limit = 8 * time.Second

// Spec is one commit.
type Spec struct {
	Project string // the project's folder, absolute
	Deed    string // the deed's folder, absolute and free of links
	Home    string // HOME of the project's commands
	Files   []File // what the turn changed
	Message string // one line, see Message
	Limit   time.Duration
	// Theirs are the hashes of what is not committed and no agent's: a new file that has, or
	// had, one of them is a copy, or was moved, and is left out.
	Theirs map[string]bool
	// More returns File.From with what other dialogs know, given the File's own; nil: they
	// know nothing.
	More func(path string, from []string) []string
}

// File is a file that the turn has changed, as a result of it says.
type File struct {
	Path    string // "deed/index.html"; other paths are left out
	SHA256  string // lowercase hex of what the turn left there; "" is not compared
	Link    string // what a symbolic link leads to
	Deleted bool
	// From are the hashes that the file had before the agents' changes, each of them, ""
	// for none. Where what the repository has last is not among them, somebody else's
	// lines stand in the file, too. nil is not compared; an empty one is not known.
	From []string
}

// Done is what came of it.
type Done struct {
	SHA     string    // of the new commit; "" where there was nothing to commit
	LeftOut []LeftOut // files of the Spec that are not in it
}

// LeftOut is a file that was not committed, and why, in a few words.
type LeftOut struct{ Path, Why string }

// Reason is why there is no commit.
type Reason string

// The reasons.
const (
	None     Reason = "no repository"        // the deed is no work tree: nothing is to be told
	Outside  Reason = "repository elsewhere" // its repository lies where the sandbox does not write
	Busy     Reason = "busy"                 // another git holds the index
	Conflict Reason = "conflict"             // a merge, rebase or the like is not finished
	Timeout  Reason = "timeout"
	NoGit    Reason = "git missing"
	TooMany  Reason = "too many files"
	Left     Reason = "left out"   // none of the turn's files: each was changed since, or is not for git
	Stopped  Reason = "stopped"    // ctx has ended
	Failed   Reason = "git failed" // what git says
)

// Error is a commit that was not made. Its text names no path of the machine.
type Error struct {
	Reason Reason
	Text   string // what is safe, and what to do; a sentence
}

func (e *Error) Error() string { return string(e.Reason) + ": " + e.Text }

// Commit commits what still stands as the turn has left it. Its errors are of type
// *Error. Nothing of the human's is changed where there is one.
func Commit(ctx context.Context, r *sandbox.Runner, s Spec) (Done, error) {
	c, cancel := begin(ctx, r, s)
	defer cancel()
	if err := c.repository(); err != nil {
		return Done{}, err
	}
	unlock, err := c.alone()
	if err != nil {
		return Done{}, err
	}
	defer unlock()
	if err := c.choose(); err != nil || len(c.paths)+len(c.left) == 0 {
		return Done{}, err
	}
	if err := c.readConfig(); err != nil {
		return Done{}, err
	}
	if len(c.paths) == 0 {
		return c.nothing()
	}
	if err := c.status(); err != nil || len(c.changed) == 0 {
		return Done{LeftOut: c.left}, err
	}
	if err := c.own(); err != nil || len(c.changed) == 0 {
		return Done{LeftOut: c.left}, err
	}
	if err := c.again(); err != nil || len(c.changed) == 0 {
		return Done{LeftOut: c.left}, err
	}
	sha, err := c.commit()
	return Done{sha, c.left}, err
}

// nothing is Done where no file of the turn is fit for its commit. Nothing is left out
// where a human has put all of them back.
func (c *committer) nothing() (Done, error) {
	var names []string
	for _, f := range c.left {
		if name := strings.TrimPrefix(f.Path, "deed/"); fs.ValidPath(name) && !strings.ContainsRune(name, 0) {
			names = append(names, name)
		}
	}
	out, err := c.run("export GIT_OPTIONAL_LOCKS=0\ngit status --porcelain=v1 -z --untracked-files=all --no-renames --ignore-submodules=all -- " + sandbox.Quote(names...))
	if err != nil || out == "" {
		return Done{}, err
	}
	return Done{LeftOut: c.left}, nil
}

// committer is one commit on its way.
type committer struct {
	runner *sandbox.Runner
	spec   Spec
	parent context.Context
	ctx    context.Context // ends with the parent, or at end
	end    time.Time

	configs [][2]string

	paths   []string // below the deed, that stand as the turn left them
	changed []string // those of which the repository has another version
	new     []string // those that it has none of
	left    []LeftOut
}

// begin returns a committer with the time that a Spec has.
func begin(ctx context.Context, r *sandbox.Runner, s Spec) (*committer, context.CancelFunc) {
	c := &committer{runner: r, spec: s, parent: ctx, end: time.Now().Add(cmp.Or(s.Limit, Limit))}
	var cancel context.CancelFunc
	c.ctx, cancel = context.WithDeadline(ctx, c.end)
	return c, cancel
}

// messageMost is how many characters a message has.
const messageMost = 180

// defaultMessage is that of a turn without words.
const defaultMessage = "Agent checkpoint"

// Message is the first sentence of a turn's last words, as the message of its commit:
// one line of at most 180 characters, without control characters and marks of markdown.
func Message(text string) string {
	inFence := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.Map(plain, line))
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			inFence = !inFence
			continue
		}
		line = strings.TrimSpace(strings.TrimLeft(strings.ReplaceAll(line, "**", ""), "#>*-+ \t"))
		if inFence || strings.Trim(line, "-=_*|:. ") == "" {
			continue
		}
		return clip(sentence(line))
	}
	return defaultMessage
}

// sentence returns a line up to its first mark that ends a sentence.
func sentence(line string) string {
	for i, r := range line {
		if strings.ContainsRune(".!?…。！？", r) {
			end := i + len(string(r))
			if r > 0x2fff || end == len(line) || line[end] == ' ' {
				return line[:end]
			}
		}
	}
	return line
}

func clip(s string) string {
	if r := []rune(s); len(r) > messageMost {
		return strings.TrimSpace(string(r[:messageMost-1])) + "…"
	}
	return s
}
