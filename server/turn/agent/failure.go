package agent

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"strings"
	"time"

	"vibey/dialog"
	"vibey/provider"
	"vibey/provider/acp"
	"vibey/server/turn/record"
)

// failed is an error of an agent in words for a human, behind its name.
func (s *session) failed(kind provider.Kind, format string, args ...any) error {
	return &provider.Error{Kind: kind, Message: "The agent " + s.name + " " + fmt.Sprintf(format, args...)}
}

// crashed is the error of an agent whose process or connection has ended.
func (s *session) crashed(err error) error {
	select {
	case <-s.proc.Exited():
	case <-time.After(agentGrace): // its output ended first
	}
	why := s.inWords(err)
	if errors.Is(err, io.EOF) || errors.Is(err, acp.ErrClosed) {
		why = s.why(errors.New("it closed its connection"))
	}
	return s.failed(provider.KindCut, "broke off: %s. What it said before is kept; press Continue to start it again.", clip(why))
}

// notBegun is the error of an agent that could not begin. ended reports that it, or the
// connection to it, had ended by itself.
func (s *session) notBegun(err error, ended bool) error {
	if st, ok := errors.AsType[*record.Stopped](err); ok {
		return st
	}
	e, isRPC := errors.AsType[*acp.Error](err)
	inWords, isWords := errors.AsType[*provider.Error](err)
	switch {
	case isWords:
		return inWords
	case isRPC && e.Code == acp.CodeAuthRequired:
		return s.failed(provider.KindAuth, "wants you to sign in first (%s). Do it in a terminal with its own program, then press Continue.", clip(e.Message))
	case isRPC:
		return s.failed(provider.KindRefused, "refused to begin: %s.", clip(e.Error()))
	case errors.Is(err, errAgentSilent):
		return s.failed(provider.KindIdle, "did not begin: %v. Its process was ended.%s Press Continue to start it again.", err, s.wrote())
	}
	why := s.inWords(err)
	if ended {
		why = s.why(err)
	}
	return s.failed(provider.KindCut, "did not begin: %s.%s Look at the command that --agent gives it, then press Continue.", clip(why), s.wrote())
}

// notAsking is the error of an agent that could not be put into the mode that asks.
func (s *session) notAsking(err error) error {
	if st, ok := errors.AsType[*record.Stopped](err); ok {
		return st
	}
	why := s.inWords(err)
	if errors.Is(err, acp.ErrClosed) {
		why = s.why(err)
	}
	return s.failed(provider.KindRefused, "could not be put into its mode %s, in which it asks before each change: %s. Its process was ended, so that it does nothing unasked. Press Continue to start it again.", s.asking, clip(why))
}

// ended reports whether the connection to an agent has ended by itself. What the agent wrote
// before that is read then: that it can't be written to is seen first.
func (s *session) ended() bool {
	if s.proc.Err() == nil {
		return false
	}
	select {
	case <-s.deaf:
	case <-time.After(agentGrace):
	}
	return true
}

// wrote quotes what an agent wrote instead of a message, a sentence behind a blank; "" for
// nothing. A program that speaks no ACP greets its human so.
func (s *session) wrote() string {
	line := s.stray.Load()
	if line == nil {
		return ""
	}
	return fmt.Sprintf(" It wrote what is no message of the protocol, first %q.", s.inWords(errors.New(*line)))
}

// why returns how the agent ended, if it has, else err.
func (s *session) why(err error) string {
	if why := s.proc.Why(); why != "" {
		return s.inWords(errors.New(why))
	}
	return s.inWords(err)
}

// inWords is an error's text without the machine's paths of the deed and of the folder that
// the agent starts in.
func (s *session) inWords(err error) string {
	return strings.ReplaceAll(withoutPath(err, s.cwd), s.dir, "the folder that it starts in")
}

// withoutPath is an error's text without the machine's path of the deed.
func withoutPath(err error, deed string) string { return strings.ReplaceAll(err.Error(), deed, "deed") }

// bare is why a program could not be started, without the path of it.
func bare(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*exec.Error](err); ok {
		return e.Err
	}
	return err
}

func clip(text string) string { return dialog.Clean(text, 1000) }

// errAgentSilent is an agent that did not answer while it began.
var errAgentSilent = errors.New("it did not answer")

// errNotLoaded is an agent that ended, or was silent, while it was to go on with a session.
var errNotLoaded = errors.New("the session was not loaded")

// agentBroke is the result of a call whose agent broke off.
const agentBroke = "interrupted: outcome unknown. The agent broke off while this call ran. Look at what it did before you do it again."

// agentSilentOn is the result of a call whose end the agent did not send.
const agentSilentOn = "interrupted: outcome unknown. The agent ended its turn without telling what became of this call. Look at what it did before you rely on it."

// agentGaveUp is the result of a call that ended before it was decided.
const agentGaveUp = "never started: the agent ended this call before it was decided."

const noAllowOnce = "never started: the agent offered no answer that allows this once, so it was told that nothing was decided."

// stops are an agent's reasons for the end of a prompt in this format's words.
var stops = map[string]string{
	acp.StopEndTurn: provider.StopEnd, acp.StopMaxTokens: provider.StopLength, acp.StopMaxRounds: provider.StopLength,
	acp.StopRefusal: provider.StopRefusal, acp.StopCancelled: "interrupted",
}

// stopOf returns the word of stops for a reason.
func stopOf(reason string) string { return cmp.Or(stops[reason], provider.StopOther) }
