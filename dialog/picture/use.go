package picture

import (
	"slices"
	"strings"

	"vibey/dialog"
)

// Use is a picture that a message links, and what became of it when the message was sent, or
// later. It stands in "> Pictures:" of the message's section, one for each file in the order
// of the links, and in Notes of Kind NoteKind for those that are not sent any more.
type Use struct {
	Path   string // files/<name>; of a picture that was scaled, that of the scaled file
	SHA256 string // of its bytes, in hex; NoHash where nothing says it
	State  string
}

// The states of a Use. Only Sent is shown to a model; of each other it reads a line.
const (
	Sent    = "sent"
	Unseen  = "unseen"  // the model that was asked sees no pictures
	Gone    = "gone"    // there is no such file
	Another = "another" // the file has other bytes than its name, or the message, says
	Not     = "not"     // it is no picture that can be shown to a model
	Older   = "older"   // too many came behind it
)

const (
	// Field is the key of the metadata that holds Uses.
	Field = "Pictures"
	// LastField is the key of a Note by which, of the pictures sent before it, only so many
	// are sent from there on: the last ones.
	LastField = "Last"
	// NoteKind is the Kind of that Note.
	NoteKind = "picture"
	// NoHash is the SHA256 of a Use of which none is known.
	NoHash = "-"
)

const hashPrefix = "sha256:"

// Format writes uses as one line of metadata.
func Format(uses []Use) string {
	all := make([]string, len(uses))
	for i, u := range uses {
		all[i] = dialog.EscapePath(u.Path) + " " + hashPrefix + u.SHA256 + " " + u.State
	}
	return strings.Join(all, "; ")
}

// Parse reads what Format wrote. What is no Use, as after an edit, is left out; one that is
// Sent has a path and a SHA-256 that fit each other.
func Parse(line string) (uses []Use) {
	for part := range strings.SplitSeq(line, ";") {
		f := strings.Fields(part)
		if len(f) != 3 || !strings.HasPrefix(f[1], hashPrefix) {
			continue
		}
		u := Use{Path: dialog.UnescapePath(f[0]), SHA256: f[1][len(hashPrefix):], State: f[2]}
		name, ok := strings.CutPrefix(u.Path, Folder+"/")
		if !ok || u.State == Sent && !(len(u.SHA256) == 64 && Fits(name, u.SHA256)) {
			continue
		}
		uses = append(uses, u)
	}
	return uses
}

// ShownBy returns uses without those that are Sent and that no link in words shows: such a
// line was written by hand. A scaled picture is shown by the link to what it was made of, which
// has its name with perhaps another extension or a number.
func ShownBy(words string, uses []Use) []Use {
	if !slices.ContainsFunc(uses, func(u Use) bool { return u.State == Sent }) {
		return uses
	}
	links := Links(words)
	return slices.DeleteFunc(uses, func(u Use) bool {
		return u.State == Sent && !slices.ContainsFunc(links, func(link string) bool { return link == u.Path || isScaled(u.Path, link) })
	})
}

// isScaled reports whether a picture may be what another one became that was too large.
func isScaled(scaled, of string) bool {
	name, ok := strings.CutPrefix(of, Folder+"/")
	return ok && ValidName(name) && Alike(NameOf(strings.TrimPrefix(scaled, Folder+"/")), NameOf(name))
}

// Line is what a model reads of a use: in its place, or before the picture if it is sent.
// These words are part of what a model has seen, so they never change.
func (u Use) Line() string {
	switch u.State {
	case Sent:
		return "[PICTURE] " + u.Path + ":"
	case Unseen:
		return "[PICTURE] " + u.Path + " is not shown here: this model was not known to see pictures."
	case Gone:
		return "[PICTURE] " + u.Path + " is not shown here: there is no such file in the project any more."
	case Another:
		return "[PICTURE] " + u.Path + " is not shown here: the file was changed since it was added."
	case Older:
		return "[PICTURE] " + u.Path + " is not shown here any more: too many pictures came after it."
	}
	return "[PICTURE] " + u.Path + " is not shown here: it is no picture that can be. If a tool reads files, it may read this one."
}
