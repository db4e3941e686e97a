package dialog

// Kinds of Notes that more than one room reads. The others have their words where they are
// written.
const (
	// CommitNote tells of a commit (see change.Uncommitted).
	CommitNote = "commit"
	// EffectNote tells which files of the deed changed between two calls, while a server
	// ran. Its note/json is change.Effect.
	EffectNote = "effect"
	// UndoNote tells what a human took back. Its Parent is the call, the undo or, for a whole
	// turn, the User section. Its note/json is change.Undone.
	UndoNote = "undo"
)
