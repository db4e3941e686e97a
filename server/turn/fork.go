package turn

import (
	"cmp"
	"io/fs"
	"slices"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/server/project"
	"vibey/server/turn/record"
)

// Fork makes a waiting dialog of the text of dialog id up to the end of the section at, as
// far as that stands in the file, and returns its id. Nothing of it runs, nothing that was
// allowed there is allowed here, and the dialog itself is only read. Errors: fs.ErrNotExist
// if there is no such dialog or section; ErrNothing if damage hides where that ends.
func (r *Runner) Fork(p *project.Project, id, at string) (string, error) {
	if at == "" || !dialog.OneLine(at) {
		return "", refuse(ErrInput, `"at" is missing, or no id of a section: it names the one up to whose end the new dialog goes`)
	}
	src, err := p.ReadWhole(id)
	if err != nil {
		return "", err
	}
	d := dialog.Parse(src.Text)
	i, ok := d.Last(at)
	if !ok {
		why := "there is no whole section %q in this dialog"
		if dialog.Parse(src.Open).HasID(at) {
			why = "the section %q is still being written; wait until it is there"
		}
		return "", refuse(fs.ErrNotExist, why+". Nothing was made", dialog.Clean(at, 100))
	}
	title := dialog.ForkTitle(d, cmp.Or(r.TitleOf(d), id), i)
	h := dialog.Header{
		Provider: d.Header.Provider, Model: d.Header.Model, Status: dialog.Waiting, Started: dialog.FormatTime(r.w.Now()),
		Meta: dialog.Titled(title, d.Header.Forked(src.ID, at)),
	}
	if err := dialog.CheckHeader(&h); err != nil {
		return "", err
	}
	text, ok := forked(d, h, i, r.w.Now())
	if !ok {
		return "", refuse(ErrNothing, "the section %q is damaged, so that its end can't be told. Nothing was made. Fork at one above it", dialog.Clean(at, 100))
	}
	f, err := p.NewDialogOf(title, r.w.Now(), func(id string) string {
		h.DialogID = id
		return d.Fork(h, i) + text
	})
	if err != nil {
		return "", err
	}
	return f.ID(), f.Close()
}

// forked returns what stands behind the text that a fork of d at section i takes over: the
// results of calls without one, a mark that voids control text without a Mac, and the title
// if a Note there gives it another one. ok is false if the text is not read there as it is in d.
func forked(d *dialog.Dialog, h dialog.Header, i int, now time.Time) (tail string, ok bool) {
	begin := d.Fork(h, i)
	x := dialog.Parse(begin)
	same := func(a, b dialog.Section) bool {
		return a.Role == b.Role && a.ID == b.ID && a.Torn == b.Torn && slices.Equal(a.Payloads, b.Payloads)
	}
	if !slices.EqualFunc(x.Sections, d.Sections[:i+1], same) {
		return "", false
	}
	tail = dialog.RepairTail(begin, now)
	for _, c := range grant.Decide(x, grant.Grants{}, grant.Policy{}) {
		why := record.ForkedBefore
		if c.Started && !c.Tried { // of what was tried nothing counts
			why = record.ForkedWithin
		}
		tail += x.Encode(record.Result(x, now, c, dialog.CallError, record.Failure(why)))
	}
	tail += grant.VoidTail(begin+tail, now)
	var g dialog.Digest
	if g.Extend(x); g.Title != h.Meta.Get("Title") {
		x = dialog.Parse(begin + tail)
		tail += x.Encode(dialog.Retitled(h.Meta.Get("Title"), now, x.HasID))
	}
	return tail, true
}
