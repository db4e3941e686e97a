package dialog

// Kinds of Notes that more than one room reads. The others have their words where they are
// written.
const (
	// CommitNote is about a commit.
	CommitNote = "commit"
	// StartedNote says that the call that is its Parent started (see TriedKey).
	StartedNote = "started"
	// EffectNote names the files of the deed that changed between two calls, while a
	// server ran; its note/json is change.Effect. One with a Parent is the effect of that
	// call, which was tried; its note/json is grant.Tried.
	EffectNote = "effect"
	// UndoNote names what a human took back. Its Parent is the call, the undo or, for a whole
	// turn, the User section. Its note/json is change.Undone.
	UndoNote = "undo"
)
