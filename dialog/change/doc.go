// Package change reads from a dialog which files its calls, its undos and its servers
// changed, from what to what. It owns the words for this in a result and in a Note: FileHash,
// Undone, Effect.
//
//	log := change.Of(dialog.Parse(text))
//	files, why := log.Undo("msg_20260216_201100_u1", true) // what an undo of that turn is about
//
// Whether a file still is as its last Step left it is for the caller to see, who reads the
// disk; the files themselves are kept by server/turn/undo.
//
// Begin with Of, Log, Step and Log.Undo; with Named and Wrote for the files of one result,
// Left and Names for those of a section, Ledger for the last of each file; with UndoneBy, PartOf and EffectOf for what a
// Note says; with Hunks and Hunk.TakeBack for the lines of a change.
package change
