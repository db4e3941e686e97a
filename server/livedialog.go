package server

import (
	"context"
	"strconv"
	"strings"
	"time"

	"vibey/dialog/jsontext"
	"vibey/server/hub"
	"vibey/server/markdown"
	"vibey/server/project"
)

// followDialog sends what happens to a dialog, turn after turn: where its stream has
// ended, it is joined again at the next change of its file.
func (l *live) followDialog(w watched, p *project.Project, changes <-chan project.Change) {
	last := w.last
	for {
		sub, err := l.s.Turns.Join(l.ctx, p, w.dialog, last)
		if l.ctx.Err() != nil {
			if err == nil {
				sub.Close()
			}
			return
		}
		if err != nil {
			l.fail(w.key, err)
		} else {
			last = l.play(w.key, sub, last)
		}
		if !l.changed(w.dialog, changes) {
			return
		}
	}
}

// changed waits for a change of a dialog. It returns false where the stream ends.
func (l *live) changed(id string, changes <-chan project.Change) bool {
	for c := range changes {
		if c.Kind == project.Reset || c.Kind == project.DialogsChanged && (c.DialogID == id || c.DialogID == "") {
			return true
		}
	}
	return false
}

// play sends a dialog's events until they end, and returns the position behind them.
func (l *live) play(key string, from source, last *hub.Pos) *hub.Pos {
	defer from.Close()
	var open openText
	for l.ctx.Err() == nil {
		until, cancel := open.due(l.ctx)
		batch, ok := from.Next(until)
		late := until.Err() != nil
		cancel()
		for i := range batch {
			e := &batch[i]
			if !placeless(e) {
				last = &hub.Pos{Whole: e.Pos.Whole}
			}
			switch e.Type {
			case hub.ChunkEvent:
				open.text.WriteString(e.Content)
				continue
			case hub.ResetEvent:
				last = nil
				open = openText{}
			case hub.SectionEvent:
				open.end()
			}
			l.event(key, e)
			batch[i] = hub.Event{}
		}
		if open.ready(time.Now()) {
			frame := open.frame(l.s.draft)
			l.send(key, "", func(b []byte) []byte { return append(b, frame...) })
		}
		if !ok && !late {
			break
		}
	}
	return last
}

// openText is the response that is being written, as a window gets it: each block
// once, as it is closed, and the rest again and again.
type openText struct {
	text   strings.Builder
	blocks markdown.Blocks
	sent   int       // blocks
	closed int       // bytes of them
	tail   int       // how much of the text was sent
	next   time.Time // when it may be sent again
}

// redraw is the shortest time between two frames of an open text. A frame that took
// long waits ten times as long for the next.
const redraw = 100 * time.Millisecond

// due returns a context that ends when the text is to be sent.
func (o *openText) due(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.tail == o.text.Len() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, o.next)
}

func (o *openText) ready(now time.Time) bool { return o.tail < o.text.Len() && !now.Before(o.next) }

// end forgets the text: it has become a section.
func (o *openText) end() { *o = openText{next: o.next} }

// frame returns what became of the text since the last frame, as the JSON
// {"type":"open","from":3,"blocks":["<p>…</p>"],"tail":"<p>…</p>"}: from is the number
// of blocks that came before.
func (o *openText) frame(html func(string) string) []byte {
	begin, text := time.Now(), o.text.String()
	b := strconv.AppendInt([]byte(`{"type":"open","from":`), int64(o.sent), 10)
	b = append(b, `,"blocks":[`...)
	if closed := o.blocks.Closed(text); closed > o.closed {
		b = jsontext.AppendLine(b, html(text[o.closed:closed]))
		o.closed = closed
		o.sent++
	}
	b = jsontext.AppendLine(append(b, `],"tail":`...), html(text[o.closed:]))
	o.tail = len(text)
	now := time.Now()
	o.next = now.Add(max(redraw, 10*now.Sub(begin)))
	return append(b, '}')
}
