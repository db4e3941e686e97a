package mcp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"vibey/server/project"
	"vibey/server/turn"
	"vibey/tools/caught"
)

// badArgument is a call whose arguments can't be meant so. Its text says what to send.
type badArgument string

func (b badArgument) Error() string { return string(b) }

func bad(format string, args ...any) error { return badArgument(fmt.Sprintf(format, args...)) }

// inWords returns err as the calling model reads it: what happened and what to do. What
// is a fault of this program is in the log alone.
func (s *Server) inWords(tool string, err error) error {
	if r, ok := errors.AsType[*turn.Refusal](err); ok {
		return errors.New(r.Message)
	}
	if b, ok := errors.AsType[badArgument](err); ok {
		return b
	}
	if away, ok := errors.AsType[*project.AwayError](err); ok {
		return away
	}
	switch {
	case errors.Is(err, context.Canceled):
		return errors.New("the call was cancelled; what was begun goes on")
	case errors.Is(err, project.ErrName):
		return errors.New("this name is not allowed; take one that list_projects, list_docs or list_dialogs tells")
	case errors.Is(err, project.ErrTwoFiles):
		return errors.New("there are two files of this dialog; a human has to delete one. Nothing was done")
	case errors.Is(err, project.ErrLeads):
		return errors.New("the deed of this project leads where agents must not write; a human has to link it elsewhere. Nothing was done")
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no such project, doc or dialog; list_projects, list_docs and list_dialogs tell what there is")
	}
	if p := caught.Of(err); p != nil {
		p.Log(s.Log, "a tool for another program", "tool", tool)
	} else {
		s.Log.Error("a tool for another program failed", "tool", tool, "err", err)
	}
	return errors.New("this could not be done, for a reason that stands in Vibey's log. What was done before is kept. Try again")
}
