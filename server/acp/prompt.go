package acp

import (
	"context"
	"encoding/base64"
	"errors"
	"path"
	"strings"

	"vibey/dialog"
	"vibey/dialog/picture"
	protocol "vibey/provider/acp"
	"vibey/server/hub"
	"vibey/server/project"
	"vibey/server/turn"
	"vibey/server/view"
	"vibey/tools/caught"
)

// prompt begins a prompt, in the order of messages, and goes on with it in a goroutine of
// its own.
func (a *Agent) prompt(r *protocol.Request) {
	var in protocol.PromptParams
	if err := r.Decode(&in); err != nil {
		r.Fail(err)
		return
	}
	s, err := a.session(in.SessionID)
	var w *work
	if err == nil {
		w, err = s.begin(a.ctx)
	}
	if err != nil {
		r.Fail(a.inWords(r.Method, err))
		return
	}
	caught.Go(a.Log, "a prompt of an editor", func() {
		defer s.end(w)
		w.awaitLast()
		result, err := caughtOf(a, r.Method, func() (any, error) { return s.answerPrompt(w, in.Prompt) })
		if w.cancelled.Load() { // it ends so, whatever came of it
			s.stop()
			err = errCancelled
		}
		s.end(w) // before the editor can send the next one
		switch {
		case errors.Is(err, errCancelled):
			r.Reply(protocol.PromptResult{StopReason: protocol.StopCancelled})
		case err != nil:
			r.Fail(a.inWords(r.Method, err))
		default:
			r.Reply(result)
		}
	})
}

// cancel stops what goes on in a session. A call that waits for a human stays
// undecided: the next message denies it, or a human decides it elsewhere.
func (a *Agent) cancel(r *protocol.Request) {
	var in protocol.CancelParams
	if r.Decode(&in) != nil {
		return
	}
	s, err := a.session(in.SessionID)
	if err != nil {
		return
	}
	s.mu.Lock()
	w := s.busy
	if w != nil {
		w.cancelled.Store(true)
		w.stop()
	}
	s.mu.Unlock()
}

// answerPrompt sends the message and relays what comes, until the turn is over.
func (s *session) answerPrompt(w *work, blocks []protocol.ContentBlock) (any, error) {
	in, err := s.message(blocks)
	if err != nil {
		return nil, err
	}
	v, err := s.a.Turns.View(s.p, s.id)
	if err != nil {
		return nil, err
	}
	s.catchUp(&v)
	s.sent.own = in.Prompt.Text
	s.mu.Lock()
	in.Provider, in.Model, in.Seen = s.chosen.provider, s.chosen.model, s.sent.last
	s.mu.Unlock()
	_, sub, err := s.a.Turns.Put(w.ctx, in)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.chosen = mode{} // it is in the file by now
	s.mu.Unlock()
	stop, err := s.serveTurn(w, sub)
	if err != nil {
		return nil, err
	}
	s.sendPlan()
	return protocol.PromptResult{StopReason: stop}, nil
}

// catchUp sends what the dialog got since, as from the browser.
func (s *session) catchUp(v *view.View) {
	for i := range v.Dialog.Sections {
		s.section(&v.Dialog.Sections[i])
	}
}

// serveTurn relays a turn until it is over, asks the editor's human about each call that
// waits, and goes on. It returns why the turn ended.
func (s *session) serveTurn(w *work, sub *hub.Sub) (stop string, err error) {
	for {
		if sub == nil {
			if sub, err = s.join(w.ctx); err != nil {
				return "", err
			}
		}
		last := sub.Each(w.ctx, s.event)
		sub.Close()
		sub = nil
		switch {
		case w.ctx.Err() != nil:
			return "", w.ctx.Err()
		case last.Type == hub.ErrorEvent:
			return "", refuse(protocol.CodeInternal, "%s", last.Message)
		case last.Type != hub.ToolEvent:
			v, err := s.a.Turns.View(s.p, s.id)
			if err != nil {
				return "", err
			}
			return stopReason(v.Dialog, v.Governor.Stopped), nil
		}
		sub, err = s.decide(w)
		if err != nil {
			return "", err
		}
	}
}

// stop ends the turn that this process runs, closed in its file, and sends its
// text up to there.
func (s *session) stop() {
	if s.a.Turns.Running(s.p.Name(), s.id) {
		if _, _, err := s.a.Turns.Put(s.a.ctx, turn.Input{Project: s.p, DialogID: s.id, Status: dialog.Waiting}); err != nil {
			s.a.Log.Warn("a turn that was cancelled could not be stopped", "dialog", s.id, "err", err)
		}
	}
	if v, err := s.a.Turns.View(s.p, s.id); err == nil {
		s.catchUp(&v)
	}
}

// join follows the dialog from its end on.
func (s *session) join(ctx context.Context) (*hub.Sub, error) {
	v, err := s.a.Turns.View(s.p, s.id)
	if err != nil {
		return nil, err
	}
	s.catchUp(&v)
	return s.a.Turns.Join(ctx, s.p, s.id, &hub.Pos{Whole: v.Size})
}

// stopReason is the protocol's word for how the last turn ended. stopped is what the
// governor stopped it by: the agent may make no more requests in it.
func stopReason(d *dialog.Dialog, stopped string) string {
	if stopped != "" {
		return protocol.StopMaxRounds
	}
	for _, s := range d.Backward() {
		if s.Role != dialog.Assistant {
			continue
		}
		switch s.Meta.Get("Stop") {
		case "length":
			return protocol.StopMaxTokens
		case "refusal":
			return protocol.StopRefusal
		case "interrupted":
			return protocol.StopCancelled
		}
		break
	}
	return protocol.StopEndTurn
}

// attachedMost is the size limit of the texts that a prompt brings with it, in bytes.
const attachedMost = 4 << 20

// message is what a prompt says to the dialog. It is put together twice, since a prompt that
// is refused must leave no picture in the project.
func (s *session) message(blocks []protocol.ContentBlock) (in turn.Input, err error) {
	in = turn.Input{Project: s.p, DialogID: s.id, Prompt: &turn.Prompt{}}
	for _, attach := range []func(protocol.ContentBlock) (string, error){link, s.attach} {
		if in.Prompt.Text, in.Attached, err = promptText(blocks, attach); err == nil {
			err = in.Check()
		}
		if err != nil {
			return in, err
		}
	}
	return in, nil
}

// decoded returns a picture of a prompt, with the plain name that it is to have.
func decoded(b protocol.ContentBlock) (name string, data []byte, err error) {
	data, err = base64.StdEncoding.DecodeString(b.Data)
	typ := picture.Kind(data)
	switch {
	case err != nil || !picture.Still(typ):
		return "", nil, badParams("the prompt holds a picture that is not taken here: it is none of png, jpeg, gif and webp, or is damaged. Nothing was sent")
	case len(data) > project.AttachedMost:
		return "", nil, badParams("the prompt holds a picture of more than %d MB. Nothing was sent. Make it smaller", project.AttachedMost/1_000_000)
	}
	if name = picture.PlainName(path.Base(b.URI)); name == "" {
		name = "picture." + strings.TrimPrefix(typ, "image/")
	}
	return name, data, nil
}

// link returns the markdown that would show a picture of a prompt in a project without others.
func link(b protocol.ContentBlock) (string, error) {
	name, data, err := decoded(b)
	if err != nil {
		return "", err
	}
	return picture.Link(name, picture.Folder+"/"+picture.FileName(dialog.SHA256(data), name)), nil
}

// attach adds a picture of a prompt to the project, and returns the markdown that shows it.
func (s *session) attach(b protocol.ContentBlock) (string, error) {
	name, data, err := decoded(b)
	if err != nil {
		return "", err
	}
	a, _, err := s.p.Attach(name, data)
	return picture.Link(name, a.Path), err
}

// promptText is the message of a prompt, which its human wrote, with the pictures that attach
// adds to the project; and the files that the editor put beside it, whose words are not the
// human's.
func promptText(blocks []protocol.ContentBlock, attach func(protocol.ContentBlock) (string, error)) (text, attached string, err error) {
	if err := checkParts(blocks); err != nil {
		return "", "", err
	}

	var message, beside strings.Builder
	for _, b := range blocks {
		switch b.Type {
		case "text":
			message.WriteString(b.Text)
		case "resource_link":
			name(&message, b.URI)
		case "image":
			shown, err := attach(b)
			if err != nil {
				return "", "", err
			}
			apart(&message, shown)
		case "resource":
			name(&message, b.Resource.URI)
			beside.WriteString(quoted(b.Resource.URI) + ":\n" + fenced(b.Resource.Text) + "\n\n")
		}
	}
	return message.String(), strings.TrimSpace(beside.String()), nil
}

// checkParts refuses a prompt with a part that is not taken, or with too much beside it.
func checkParts(blocks []protocol.ContentBlock) error {
	beside := 0
	for _, b := range blocks {
		switch b.Type {
		case "text", "resource_link", "image":
		case "resource":
			if b.Resource == nil || b.Resource.Blob != "" {
				return badParams("the prompt holds a file that is no text, which is not taken here. Nothing was sent. Name the file instead")
			}
			if beside += len(b.Resource.Text); beside > attachedMost {
				return badParams("the files beside the prompt have over 4 MiB. Nothing was sent. Name them instead, and the agent reads them")
			}
		default:
			return badParams("the prompt holds a part of the type %q, which is not taken here. Nothing was sent. Send text", dialog.Cut(b.Type, 50))
		}
	}
	return nil
}

// name puts a file's address into the message, apart from what is before it.
func name(message *strings.Builder, uri string) { apart(message, quoted(uri)) }

func apart(message *strings.Builder, words string) {
	if text := message.String(); text != "" && !strings.HasSuffix(text, " ") && !strings.HasSuffix(text, "\n") {
		message.WriteByte(' ')
	}
	message.WriteString(words)
}

// quoted is a file's address as code in one line: it stands among the human's own words,
// and whoever named the file must not speak in them.
func quoted(uri string) string {
	return "`" + strings.ReplaceAll(dialog.Clean(uri, 500), "`", "'") + "`"
}
