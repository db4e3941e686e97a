package acp

import (
	"errors"
	"fmt"
	"io/fs"

	protocol "vibey/provider/acp"
	"vibey/server/project"
	"vibey/server/turn"
	"vibey/tools/caught"
)

// refusal is an error whose text is for the editor's human.
type refusal struct {
	code int
	text string
}

func (r *refusal) Error() string { return r.text }

// refuse makes an error of the protocol: what is wrong and what to do.
func refuse(code int, format string, args ...any) error {
	return &refusal{code, fmt.Sprintf(format, args...)}
}

// badParams refuses what can't be meant so.
func badParams(format string, args ...any) error {
	return refuse(protocol.CodeInvalidParams, format, args...)
}

// inWords returns err as the editor shows it. What is a fault of this program stands in
// the log alone.
func (a *Agent) inWords(method string, err error) *protocol.Error {
	if r, ok := errors.AsType[*refusal](err); ok {
		return &protocol.Error{Code: r.code, Message: r.text}
	}
	if r, ok := errors.AsType[*turn.Refusal](err); ok {
		code := protocol.CodeInvalidRequest // the state of things
		if errors.Is(err, turn.ErrInput) {
			code = protocol.CodeInvalidParams
		}
		return &protocol.Error{Code: code, Message: r.Message}
	}
	if away, ok := errors.AsType[*project.AwayError](err); ok {
		return protocol.Errorf(protocol.CodeInternal, "%v", away)
	}
	switch {
	case errors.Is(err, project.ErrTwoFiles):
		return protocol.Errorf(protocol.CodeInvalidRequest, "there are two files of this dialog, with different statuses. Nothing was changed. Delete one of them in the project's folder")
	case errors.Is(err, project.ErrLeads), errors.Is(err, project.ErrDeed):
		return protocol.Errorf(protocol.CodeInvalidParams, "%v. Nothing was changed", err)
	case errors.Is(err, fs.ErrNotExist):
		return protocol.Errorf(protocol.CodeNotFound, "there is no such session; session/list tells those that there are")
	}
	if caught.Of(err) == nil { // it is in the log otherwise
		a.Log.Error("an editor's request failed", "method", method, "err", err)
	}
	return protocol.Errorf(protocol.CodeInternal, "Vibey could not do this, %s. What was acknowledged before is kept. Try again", project.Reason(err))
}
