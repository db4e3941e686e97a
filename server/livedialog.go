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

// followDialog sends what happens to a dialog, turn after turn: if its stream has
// ended, it is joined again at the next change of its file. One that was cut off, as
// since others wait, is joined again after a while without a change, too. w.last is
// where the client is.
func (l *live) followDialog(w *watch, changes <-chan project.Change, join func(*watch) (source, error)) {
	pause := againFirst // it grows while nothing but what cuts it off comes
	for {
		sub, err := join(w)
		if l.ctx.Err() != nil {
			if err == nil {
				sub.Close()
			}
			return
		}
		cut, placed := false, false
		if err != nil {
			l.fail(w.key, err)
		} else {
			cut, placed = l.play(w, sub)
		}
		if !cut || placed {
			pause = againFirst
		}
		if !l.changed(w.dialog, changes, cut, pause) {
			return
		}
		if cut {
			pause = min(2*pause, againMost)
		}
	}
}

// join joins a dialog. Its project may be another folder than the last time: one of its
// name that was restored after it was deleted.
func (l *live) join(w *watch) (source, error) {
	p, err := l.s.Store.Project(w.project)
	if err != nil {
		return nil, err
	}
	return l.s.Turns.Join(l.ctx, p, w.dialog, w.last)
}

// changed waits for a change of a dialog or, if its stream was cut off, until pause is
// over. It returns false if the stream ends.
func (l *live) changed(id string, changes <-chan project.Change, cut bool, pause time.Duration) bool {
	var over <-chan time.Time
	if cut {
		over = time.After(pause)
	}
	for {
		select {
		case c, ok := <-changes:
			if !ok || c.Kind == project.Reset || c.Kind == project.DialogsChanged && (c.DialogID == id || c.DialogID == "") {
				return ok
			}
		case <-over:
			return l.ctx.Err() == nil
		}
	}
}

// play sends a dialog's events until they end, and keeps the position behind them in w.
// cut reports whether they ended though the dialog has not, and placed whether one of them
// had a position.
func (l *live) play(w *watch, from source) (cut, placed bool) {
	defer from.Close()
	var open openText
	for l.ctx.Err() == nil {
		until, cancel := open.due(l.ctx)
		batch, ok := from.Next(until)
		late := until.Err() != nil
		cancel()
		for i := range batch {
			e := &batch[i]
			if cut = placeless(e); !cut {
				w.last, placed = &hub.Pos{Whole: e.Pos.Whole}, true
			}
			switch e.Type {
			case hub.ChunkEvent:
				open.text.WriteString(e.Content)
				continue
			case hub.ResetEvent:
				w.last = nil
				open = openText{}
			case hub.SectionEvent:
				open.end()
			}
			l.event(w.key, e)
			batch[i] = hub.Event{}
		}
		if open.ready(time.Now()) {
			l.send(w.key, open.frame(l.s.draft))
		}
		if !ok && !late {
			break
		}
	}
	return cut, placed
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
