package why

import (
	"slices"

	"vibey/dialog"
	"vibey/dialog/grant"
)

// Source is all that an answer is made of.
type Source struct {
	Path    string // in the project
	Present []byte // what the file holds now
	Dialogs []Dialog
	Saves   func(path string) []Save // what humans saved of a file, in its order; may be nil
	Kept    func(sha string) ([]byte, bool)
	Policy  grant.Policy
	// Authority judges approvals; its DialogID is not used. Without a key Macs are not judged.
	Authority grant.Authority
}

// Dialog is one dialog of the project. ID is that of its file's name.
type Dialog struct {
	ID string
	D  *dialog.Dialog
}

// Save is what a human saved, in one save or in several that followed on each other. Times
// are as in a dialog, hashes SHA-256 in lowercase hex; Before is "" for a new file.
type Save struct{ Start, End, Before, After string }

// Unknown is the version of a line that can't be told.
const Unknown = -1

// Kind is what made a version.
type Kind string

// The kinds.
const (
	SaveKind    Kind = "save"    // a human's save
	CallKind    Kind = "call"    // a call of an agent
	UndoKind    Kind = "undo"    // a human took back what calls did
	OutsideKind Kind = "outside" // it is not known what
)

// Version is what a file held from one step on.
type Version struct {
	Kind   Kind
	SHA256 string // "" where the file was removed
	At     string // as a dialog has times; "" where it is not known
	Known  bool   // its bytes are: see History.Content
	// Of a call, and of an undo but for Message and Allowed.
	Dialog, Message, Call, Tool string
	Allowed                     Allowed
}

// The words for who made a version.
const (
	Human   = "human"
	Agent   = "agent"
	Nothing = "unknown"
)

// Who is Human, Agent or Nothing.
func (v *Version) Who() string {
	switch v.Kind {
	case SaveKind, UndoKind:
		return Human
	case CallKind:
		return Agent
	}
	return Nothing
}

// Allowed is what let a call run: By a human, who approved this very call; an allow, which a
// human gave the dialog; or a rule, which a human gave the project. Name is the tool of such
// a line, and its folder; ID is the Authorization's.
type Allowed struct {
	By   string `json:"by"`
	Name string `json:"name"`
	ID   string `json:"id"`
}

// The words of Allowed.By.
const (
	ByHuman = "human"
	ByAllow = "allow"
	ByRule  = "rule"
)

// History is what is known of a file.
type History struct {
	Versions []Version // the oldest first
	Lines    []int     // of each line the index in Versions, or Unknown

	content func(sha string) ([]byte, bool)
}

// Content returns the bytes of one of the versions, if they are known.
func (h *History) Content(sha string) (b []byte, known bool) {
	if !slices.ContainsFunc(h.Versions, func(v Version) bool { return v.SHA256 == sha }) {
		return nil, false
	}
	return h.content(sha)
}

// Of returns the history of a file.
func Of(src Source) History {
	r := newReader(src)
	r.know(src.Present)
	h := r.history(src.Path, r.steps[src.Path], dialog.SHA256(src.Present), "", movesMost)
	h.content = r.again
	return h
}
