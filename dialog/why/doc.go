// Package why finds who brought each line of a file in: a human's save, a call of an agent,
// or nothing that is known. It is pure: the files' bytes, the dialogs and the saves come in
// as arguments.
//
//	h := why.Of(why.Source{Path: "doc-main.md", Present: b, Dialogs: dialogs, Saves: saves, Kept: kept})
//	h.Lines[2] // the index of the third line's version in h.Versions, or Unknown
//
// # The chain
//
// Each result of a call that changed the file, each undo and each save is a step from one
// SHA-256 to another. Steps lie in the order of their times; within one second, and between
// dialogs, in the order in which most of them follow on each other. Where a step does not
// begin with the bytes that the one before left, and where the last did not leave what stands
// there now, something else changed the file: what came in there is unknown.
//
// A step of a call counts only if a human's approval lets that call run with exactly this
// input (package grant), if the call started, and if its hashes are those of bytes that are
// known: what write_file and edit_file left must follow from the call's own input. So a
// result that was written by hand, a copy of a dialog and a fork of one add nothing.
//
// # The lines
//
// From step to step a line stays that of the version that brought it in. Where it can't be
// told which of several equal lines stayed, where a line was moved, and where two orders of
// the steps are as good and differ, it is Unknown: better that than wrong. An undo brings
// back the lines of those who wrote them, and a file that a command moved keeps its lines.
//
// Begin with Of, Source, History, Version.
package why
