package tools

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/dialog/plan"
	"vibey/tools/layer"
	"vibey/tools/mcp"
	"vibey/tools/sandbox"
)

// Env is the world of one call, given by the turn.
type Env struct {
	// Project is the project's folder, and ProjectDir its absolute path: the
	// working directory of commands, and what messages call the project.
	Project    *os.Root
	ProjectDir string
	// DeedDir is the folder that deed leads to, absolute and free of links. The
	// server finds it once a turn, and refuses one that leads where agents must
	// not write (server/project, DeedDir): what a command makes of deed later
	// moves nothing. "" means the folder deed itself.
	DeedDir string

	// Hash tells the last SHA-256 that this dialog names for a path
	// (change.Ledger); nil knows none.
	Hash func(path string) (sha string, ok bool)
	// Write replaces the file name in dir, a folder of the project or of its
	// deed, by what edit returns: the project's Change. edit gets the file that
	// stands there, nil for none; of two writers of ours, one edits at a time.
	Write func(dir *os.Root, name string, edit func(old *os.File) ([]byte, error)) (fs.FileInfo, error)
	// ChangeAs is Write with permissions, Remove removes the file name in dir after check
	// has looked at it, and Chmod gives it permissions: the project's methods. Only an
	// undo uses them (PutBack).
	ChangeAs func(dir *os.Root, name string, perm fs.FileMode, edit func(old *os.File) ([]byte, error)) (fs.FileInfo, error)
	Remove   func(dir *os.Root, name string, check func(old *os.File) error) error
	// RemoveEmpty removes a folder that holds nothing but such folders.
	RemoveEmpty func(dir *os.Root, name string) error
	Chmod       func(dir *os.Root, name string, perm fs.FileMode, check func(old *os.File) error) error
	// Apply puts what a command wrote to a layer into the deed, and returns the paths that
	// keep what stands there, for it was changed meanwhile. say is what Finished is given if
	// this program is killed meanwhile.
	Apply func(ctx context.Context, l *layer.Layer, r *layer.Reading, say json.RawMessage) (conflicts []string, err error)
	// Approved is what a human's approval of this one call says; nil for a call
	// that an allow line released.
	Approved *Approval
	// Bringing is told, within Write, of a doc that a file tool is about to
	// write: what it held, nil where that is not known, and what it will hold.
	// With an error nothing is written.
	Bringing func(doc string, old, new []byte) error
	// Known are the names that the leading page may use (Known): a file tool that
	// writes it tells of others.
	Known grant.Known
	// DialogID is the dialog of the call, and Said reports whether words in it make an
	// item of the plan a human's (plan.Cited); nil: none do.
	DialogID string
	Said     func(it plan.Item, words string) (ok bool, lacks string)
	// Launch starts a sibling dialog and returns its id at once. Its errors are
	// told to the model as they are.
	Launch func(ctx context.Context, in LaunchInput) (dialogID string, err error)
	// Message puts a message into another dialog and returns when it is in its file,
	// Agents lists the dialogs of the project, the one written last first, and Agent
	// reads one, which must not be changed. Their errors are told to the model as they
	// are.
	Message func(ctx context.Context, to, text string) (Delivery, error)
	Agents  func() ([]Agent, error)
	Agent   func(id string) (*dialog.Dialog, dialog.Status, error)

	// Sandbox runs commands, with Home as their HOME.
	Sandbox *sandbox.Runner
	Home    string
	// ServerHome names the HOME of an MCP server that has a key or the network, and which
	// no command sees. With an error such a server is not started.
	ServerHome func(server string) (string, error)
	// Network: a human has allowed the network to commands and servers.
	Network bool
	// Limit is the longest that a command runs; 0 is the sandbox's own.
	Limit time.Duration
	// ReadOnly keeps commands and servers that this call starts from writing
	// anything that outlives them (sandbox.Spec): a turn before its checkpoint. Where
	// that can't be held they are refused.
	ReadOnly bool

	// Watch, where it is not nil, gets a func that returns what a command has written until
	// now, whole lines, without secrets. A command with it that is stopped before its end has
	// a result that tells its output, as one that came to its end.
	Watch func(written func() string)

	// MCP holds the connections to MCP servers; nil: there are none. Off tells of a server
	// that failed so often in this dialog that it is no longer called; nil: of none.
	MCP *mcp.Manager
	Off func(server string) bool

	// Blanket: no human saw this call; an allow line released it.
	Blanket bool
	// Unlinked: the call was released for the file that its path names, and for none
	// to which a link leads (grant.Call).
	Unlinked bool
	// Tried: what a command writes counts only once its effect is released.
	Tried bool
	// Noted: an earlier result of this dialog has the note about deed (dialog.Noted).
	Noted bool
	// Mask tells the secrets that no result may tell, once there is a result: a
	// command may have printed one that came into being while it ran. nil: none.
	Mask func() []string
}

// masker returns a func that masks the secrets as they are now.
func (env Env) masker() func(text string) string {
	if env.Mask == nil {
		return Masker(nil)
	}
	return Masker(env.Mask())
}
