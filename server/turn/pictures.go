package turn

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"sync"

	"vibey/dialog"
	"vibey/dialog/governor"
	"vibey/dialog/history"
	"vibey/dialog/picture"
	"vibey/provider"
	"vibey/provider/acp"
	"vibey/server/project"
	"vibey/server/turn/agent"
)

// picturesMost is how many pictures one message may show.
const picturesMost = 100

// shows returns the files that the prompt shows as pictures, if a human wrote it: what an
// agent or a program says shows none.
func (in *Input) shows() []string {
	if in.Prompt == nil || in.By != "" {
		return nil
	}
	return picture.Links(in.Prompt.read())
}

// pictures decides about each picture of the prompt for good, and returns what its section
// says of them, "" for none. One that is too large is scaled, and the scaled file added to
// the project.
func (t *turn) pictures() (string, error) {
	paths := t.in.shows()
	if len(paths) == 0 || t.by != t.in.author() {
		return "", nil // one that an agent launched has it as its author
	}
	sees := t.sees()
	uses := make([]picture.Use, len(paths))
	for i, path := range paths {
		var err error
		if uses[i], err = t.r.use(t.in.Project, path, sees); err != nil {
			return "", err
		}
	}
	return picture.Format(uses), nil
}

// addressee returns the provider and the model that get the prompt.
func (t *turn) addressee() (name, model string) {
	name, model = t.dialog().Model()
	return cmp.Or(t.in.Provider, name), cmp.Or(t.in.Model, model)
}

// sees reports whether the model that gets the prompt sees pictures. Of an agent that is
// known once it runs; one that does not is taken to see.
func (t *turn) sees() bool {
	name, model := t.addressee()
	if name != acp.API {
		return t.seesAt(name, model)
	}
	a, runs := t.partner.(*agent.Partner)
	return !runs || !a.Blind()
}

// withdrawBefore withdraws what can't be sent any more before a prompt is appended, so that
// the model reads the human's words last. An agent keeps what it was shown.
func (t *turn) withdrawBefore() error {
	name, model := t.addressee()
	if name == acp.API {
		return nil
	}
	_, err := t.requestPictures(name, model, func() bool { return t.seesAt(name, model) }, allItems)
	return err
}

func (t *turn) seesAt(name, model string) bool {
	p, ok := t.r.w.Provider(name)
	if !ok {
		return false
	}
	s, ok := p.(provider.Seer)
	return ok && s.Sees(t.ctx, model)
}

// use decides about one picture.
func (r *Runner) use(p *project.Project, at string, sees bool) (u picture.Use, err error) {
	name := strings.TrimPrefix(at, picture.Folder+"/")
	u = picture.Use{Path: at, SHA256: picture.NoHash, State: picture.Gone}
	if picture.ValidName(name) {
		u.SHA256, _, _ = strings.Cut(name, "-")
	}
	b, _, err := p.Attached(name)
	if missing(err) {
		return u, nil
	}
	if err != nil {
		return u, err
	}
	u.SHA256 = dialog.SHA256(b)
	switch typ := picture.Kind(b); {
	case !picture.Fits(name, u.SHA256):
		u.State = picture.Another
		return u, nil
	case !picture.Still(typ):
		u.State = picture.Not
		return u, nil
	case !sees:
		u.State = picture.Unseen
		return u, nil
	}
	r.fitting.Lock() // a large one takes hundreds of megabytes
	fitted, err := picture.Fit(b)
	r.fitting.Unlock()
	switch {
	case err != nil:
		u.State = picture.Not
		return u, nil
	case &fitted[0] == &b[0]:
		u.State = picture.Sent
		return u, nil
	}
	scaled, err := p.AttachScaled(renamed(picture.NameOf(name), picture.Kind(fitted)), fitted)
	return picture.Use{Path: scaled.Path, SHA256: scaled.SHA256, State: picture.Sent}, err
}

// missing reports whether a file can't be read since it is not there, or not for us: it will
// not be there at another try either.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
}

// renamed returns a picture's name with the extension of its type, unless it has that.
func renamed(name, typ string) string {
	ext := strings.ToLower(path.Ext(name))
	switch {
	case typ == picture.PNG && ext != ".png":
		return picture.PlainName(strings.TrimSuffix(name, path.Ext(name)) + ".png")
	case typ == picture.JPEG && ext != ".jpg" && ext != ".jpeg":
		return picture.PlainName(strings.TrimSuffix(name, path.Ext(name)) + ".jpg")
	}
	return name
}

// shown are the pictures of a request: the bytes of those that are there, and those that are
// to be withdrawn first.
type shown struct {
	bytes map[string][]byte // by SHA-256
	gone  []picture.Use
	last  int // how many of those that are left are sent, the last ones; -1 for all
}

// look finds the pictures among items, for a model of that provider. sees is asked where a
// picture was sent to another model before.
func look(p *project.Project, items []history.Item, name, model string, sees func() bool) (shown, error) {
	s := shown{bytes: map[string][]byte{}, last: -1}
	sees = sync.OnceValue(sees) // a server that does not answer takes its time
	count, size, known := 0, 0, map[picture.Use]bool{}
	withdraw := func(u picture.Use, state string) {
		if u.State = state; !known[u] {
			known[u] = true
			s.gone = append(s.gone, u)
		}
	}
	for i := len(items) - 1; i >= 0; i-- {
		it := &items[i]
		if it.Kind != history.PictureItem {
			continue
		}
		u := picture.Use{Path: it.Text, SHA256: it.SHA256}
		if (it.Provider != name || it.Model != model) && !sees() {
			withdraw(u, picture.Unseen)
			continue
		}
		b, there := s.bytes[it.SHA256]
		if !there {
			var err error
			b, _, err = p.Attached(strings.TrimPrefix(it.Text, picture.Folder+"/"))
			if err != nil && !missing(err) {
				return s, err
			}
			switch {
			case err != nil:
				withdraw(u, picture.Gone)
				continue
			case dialog.SHA256(b) != it.SHA256:
				withdraw(u, picture.Another)
				continue
			}
		}
		if s.last < 0 && (count == picture.SentMost || size+len(b) > picture.SentBytes) {
			s.last = count
		}
		if s.last >= 0 {
			withdraw(u, picture.Older)
			continue
		}
		s.bytes[it.SHA256] = b
		count, size = count+1, size+len(b)
	}
	return s, nil
}

// note returns the Note that withdraws pictures; ok is false where none is to be.
func (s *shown) note() (n governor.Note, ok bool) {
	if len(s.gone) == 0 {
		return n, false
	}
	why := map[string]string{
		picture.Unseen: "this model was not known to see pictures", picture.Gone: "its file is gone",
		picture.Another: "its file was changed", picture.Older: "too many pictures came after it",
	}
	words := make([]string, len(s.gone))
	for i, u := range s.gone {
		words[i] = u.Path + " (" + why[u.State] + ")"
	}
	n = governor.Note{Kind: picture.NoteKind, To: "model", Text: "[PICTURE] From here on a line stands in the place of what was shown before: " + strings.Join(words, "; ") + "."}
	n.Meta = dialog.Fields{{Key: picture.Field, Value: picture.Format(s.gone)}}
	if s.last >= 0 {
		n.Meta = append(n.Meta, dialog.Field{Key: picture.LastField, Value: strconv.Itoa(s.last)})
	}
	return n, true
}

// requestPictures returns the bytes of the pictures among the items that of chooses from the
// history. Those that can't be sent any more it withdraws first, by a Note.
func (t *turn) requestPictures(name, model string, sees func() bool, of func(history.History) []history.Item) (map[string][]byte, error) {
	for {
		t.b.Extend(t.dialog())
		s, err := look(t.in.Project, of(t.b.History()), name, model, sees)
		if err != nil {
			return nil, err
		}
		n, ok := s.note()
		if !ok {
			return s.bytes, nil
		}
		if err := t.appendNotes([]governor.Note{n}); err != nil {
			return nil, err
		}
	}
}

// withdrawAll withdraws all pictures, which the server has refused for the model: each next
// request would fail as this one.
func (t *turn) withdrawAll() error {
	_, err := t.requestPictures("", "", func() bool { return false }, allItems)
	t.b.Extend(t.dialog())
	return err
}

// allItems are the items of a request to a model, which keeps nothing.
func allItems(h history.History) []history.Item { return h.Items }
