package turn

import (
	"vibey/dialog/grant"
)

// partner answers a dialog's prompts. There are two: model, which is asked over HTTP and
// does nothing in between, and agent.Partner, a process that asks back.
type partner interface {
	// Ask asks until nothing is left to ask, or a human has to decide: record.ErrWaiting.
	Ask() error
	// CatchUp takes what was sent since the last turn; over reports that the prompt has ended.
	CatchUp() (over bool, err error)
	// Drain is CatchUp before the human goes on to something else.
	Drain() error
	// AwaitApproved waits for the end of approved calls beside one that waits for a human.
	AwaitApproved() error
	// Finish waits for the end of approved calls and denies all others.
	Finish() error
	// Cancel ends the prompt that is under way, and answers its calls that are still open.
	Cancel() error
	// Runs reports whether the result of a call comes from the partner.
	Runs(*grant.Call) bool
	// Begin lets a call run; began is false for one that runs here.
	Begin(*grant.Call) (began bool, err error)
	// Answered is called when results stand in the file.
	Answered()
	// Hash is the hash that a call's write of a file is for.
	Hash(c *grant.Call, named func(path string) (string, bool)) func(path string) (string, bool)
	// Unsent reports whether mail that wakes came too late for the last prompt.
	Unsent() bool
	// Release gives the process back. It ends unless the dialog waits for a human.
	Release()
}
