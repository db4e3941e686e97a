package history

import (
	"strconv"

	"vibey/dialog"
	"vibey/dialog/picture"
)

// shown says which pictures of a dialog's messages are sent no more: the state of each by its
// section's index and its place in that section.
type shown map[place]string

type place struct{ section, use int }

// withdraws reports whether a Note among sections may withdraw a picture.
func withdraws(sections []dialog.Section) bool {
	for i := range sections {
		if isWithdrawal(&sections[i]) {
			return true
		}
	}
	return false
}

func isWithdrawal(s *dialog.Section) bool {
	return s.Role == dialog.Note && !s.Torn && s.Kind() == picture.NoteKind
}

// usesOf returns the pictures of a human's message. What a model, an agent or a program wrote
// shows none, and the words show what is sent, whatever the section says.
func usesOf(s *dialog.Section) []picture.Use {
	if by := s.Meta.Get("By"); s.Role != dialog.User || s.Torn || by != "" && by != "human" {
		return nil
	}
	uses := picture.Parse(s.Meta.Get(picture.Field))
	if len(uses) == 0 {
		return nil // without a look at the words, as nearly all
	}
	return picture.ShownBy(dialog.UserInput(s), uses)
}

// Pictures returns how many pictures a message was sent with. A Note may have withdrawn some
// since.
func Pictures(s *dialog.Section) (n int) {
	for _, u := range usesOf(s) {
		if u.State == picture.Sent {
			n++
		}
	}
	return n
}

// showing folds the Notes of a dialog over the pictures before them. A Note withdraws those
// that it names, wherever they stand before it, and with picture.LastField all but the last
// ones.
func showing(d *dialog.Dialog) shown {
	type sent struct {
		place
		picture.Use
	}
	var live []sent
	var states shown
	for i := range d.Sections {
		s := &d.Sections[i]
		for k, u := range usesOf(s) {
			if u.State == picture.Sent {
				live = append(live, sent{place{i, k}, u})
			}
		}
		if !isWithdrawal(s) || len(live) == 0 {
			continue
		}
		if states == nil {
			states = shown{}
		}
		gone := map[picture.Use]string{}
		for _, u := range picture.Parse(s.Meta.Get(picture.Field)) {
			if state := u.State; state != picture.Sent && state != picture.Older {
				u.State = picture.Sent
				gone[u] = state
			}
		}
		var left []sent
		for _, l := range live {
			if state := gone[l.Use]; state != "" {
				states[l.place] = state
			} else {
				left = append(left, l)
			}
		}
		if n, err := strconv.Atoi(s.Meta.Get(picture.LastField)); err == nil && n >= 0 {
			for ; len(left) > n; left = left[1:] {
				states[left[0].place] = picture.Older
			}
		}
		live = left
	}
	return states
}

// addPictures adds the pictures of the message in section b.seen before its words: each
// behind a line that names it, or a line alone.
func (b *Builder) addPictures(s *dialog.Section) {
	for k, u := range usesOf(s) {
		if state, withdrawn := b.shown[place{b.seen, k}]; withdrawn {
			u.State = state
		}
		b.addText(u.Line())
		if u.State == picture.Sent {
			b.words = append(b.words, Item{Kind: PictureItem, Text: u.Path, SHA256: u.SHA256, Provider: b.provider, Model: b.model})
		}
	}
}
