// Package crash is the crash lab, a test. It runs a scripted dialog of the real program
// under strace, and from the trace makes the states that a crash may leave on
// the disk: after a kill at every call, and after a power cut, when what was not
// synced is lost, cut at any byte, zeros, or there after all. It starts on each
// and checks what vibey/vibey/doc-main.md promises: nothing that was sent to a client
// is lost, no tool runs twice, only a human's grants count, one message goes on.
// Pages of one append reach the disk in any order: zeros stand for those that did
// not, wherever they end. On some of these states the program itself starts.
//
//	go test ./cmd/vibey/e2e/crash -v -timeout 0 -vibey $PWD/bin/vibey                everything
//	go test ./cmd/vibey/e2e/crash -v -timeout 0 -vibey $PWD/bin/vibey -states 11000  no more than so many
//
// TestKilled kills the program itself, at random moments of commands with a layer: their run,
// the question about what they changed, and its way into the deed.
//
//	go test ./cmd/vibey/e2e/crash -run TestKilled -v -timeout 0 -vibey $PWD/bin/vibey -kills 300
//
// The lab fails if a promise was broken, and if one of two controls was not
// caught: a protocol without the sync before a tool starts, and the format's
// reader as it was before zeros meant anything.
package crash
