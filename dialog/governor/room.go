package governor

import (
	"strings"

	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/dialog/picture"
)

const (
	fullAt        = 80 // per cent of a window
	bytesPerToken = 4  // where no provider has counted
)

// Room is what is known of how much a model reads. Window is in tokens, 0 where it is not
// known; TooLong: a provider has refused the dialog, as it stands, as too long.
type Room struct {
	Window  int
	TooLong bool
}

// Full reports whether the next request of d takes most of a window of that many tokens:
// by what the provider counted at the last request and the bytes that came since, else by
// the bytes. 0 is a window that is not known.
func Full(d *dialog.Dialog, window int) bool {
	return window > 0 && tokens(d)*100 >= window*fullAt
}

// tokens estimates the next request of d.
func tokens(d *dialog.Dialog) int {
	since := 0
	for _, s := range d.Backward() {
		if s.Role == dialog.Summary {
			break
		}
		switch {
		case s.Role == dialog.Assistant && s.Resources.In > 0:
			return int(s.Resources.In+s.Resources.Out) + since/bytesPerToken
		case s.Role == dialog.User, s.Role == dialog.ToolResult, s.Role == dialog.Note:
			since += weight(s)
		}
	}
	return (systemBytes(d) + sentBytes(d, history.Covers(d))) / bytesPerToken
}

// TooLong reports whether the last request of d was refused as too long.
func TooLong(d *dialog.Dialog) bool {
	for _, s := range d.Backward() {
		switch {
		case s.Role == dialog.Assistant, s.Role == dialog.Summary:
			return false
		case s.Role == dialog.Note && s.Meta.Has("Cause"):
			return s.Meta.Get("Cause") == "too_long"
		}
	}
	return false
}

// limit returns how many bytes may be sent beside the system text, and whether there is a
// limit.
func (r Room) limit(d *dialog.Dialog) (most int, limited bool) {
	now, system := sentBytes(d, history.Covers(d)), systemBytes(d)
	if r.Window > 0 {
		room := r.Window * fullAt / 100
		if left := room - system/bytesPerToken; left >= r.Window/4 {
			room = left // else it is too small for the system text alone: the turns are what can be helped
		}
		most, limited = room*bytesPerToken*100/density(d, system+now), true
	}
	if r.TooLong && (!limited || now/2 < most) {
		most, limited = now/2, true // what was counted or guessed is wrong
	}
	return most, limited
}

// density returns how many tokens the provider counted where bytesPerToken says 100, at
// least 100 and at most 400: for languages whose letters have several bytes and tokens.
func density(d *dialog.Dialog, bytes int) int {
	for _, s := range d.Backward() {
		if s.Role == dialog.Summary {
			break
		}
		if s.Role == dialog.Assistant && s.Resources.In > 0 {
			return min(max(int(s.Resources.In)*bytesPerToken*100/max(bytes, 1), 100), 400)
		}
	}
	return 100
}

// systemBytes is the size of the system text and the tools.
func systemBytes(d *dialog.Dialog) (n int) {
	if i := d.Systems(); len(i) > 0 {
		return d.Sections[i[0]].Bytes()
	}
	return 0
}

// sentBytes is the size of what a model reads of d beside the system text, where
// Summaries stand for covers, which are in their order.
func sentBytes(d *dialog.Dialog, covers []history.Cover) (n int) {
	for _, c := range covers {
		n += d.Sections[c.By].Bytes()
	}
	for i := 0; i < len(d.Sections); i++ {
		for len(covers) > 0 && covers[0].To < i {
			covers = covers[1:]
		}
		if len(covers) > 0 && i >= covers[0].From {
			i = covers[0].To
			continue
		}
		n += weight(&d.Sections[i])
	}
	return n
}

// weight is the size of what a model reads of a section. Summaries count with what they
// stand for.
func weight(s *dialog.Section) int {
	switch {
	case s.Torn:
		return 0
	case s.Role == dialog.Note && s.Meta.Get("To") != "model":
		return 0
	case s.Role == dialog.Authorization, s.Role == dialog.System, s.Role == dialog.Summary:
		return 0
	}
	return s.Bytes() + history.Pictures(s)*picture.Tokens*bytesPerToken
}

// bothEnds returns the beginning and the end of a text within about n bytes, with a line
// between them that says how much is left out.
func bothEnds(text string, n int) string {
	if len(text) <= n {
		return text
	}
	head, tail := n*2/3, n/3
	return strings.ToValidUTF8(text[:head], "") + "\n\n[… " + bytesWord(len(text)-head-tail) + " are left out here …]\n\n" + strings.ToValidUTF8(text[len(text)-tail:], "")
}
