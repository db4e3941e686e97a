package browser

import "github.com/chromedp/cdproto/cdp"

// document is one that the page's main frame has asked for.
type document struct {
	url    string // with its fragment; of one that did not load, what was asked for
	status int64  // 0 where none came
	broken string // why it did not load, or ""
	loaded bool   // it and what belongs to it are there
	quiet  bool   // it loads nothing more
}

// documents follows the main frame: a script, a refresh or a redirect may lead it from
// one document to the next. The last one shown is the page that was seen.
type documents struct {
	frame  cdp.FrameID
	all    map[cdp.LoaderID]*document
	first  string       // the address that was asked for, as the browser writes it
	shown  cdp.LoaderID // "" before the first
	coming cdp.LoaderID // it was asked for, and is neither shown nor given up; "" is none
}

// get returns the document of a loader; unknown ones are begun.
func (d *documents) get(id cdp.LoaderID) *document {
	if d.all == nil {
		d.all = map[cdp.LoaderID]*document{}
	}
	if d.all[id] == nil {
		d.all[id] = new(document)
	}
	return d.all[id]
}

// ask notes that a frame asks for a document, or is redirected on its way to it. The
// first that asks is the main frame.
func (d *documents) ask(frame cdp.FrameID, id cdp.LoaderID, url string) {
	if d.frame == "" {
		d.frame, d.first = frame, url
	}
	if frame == d.frame {
		d.coming = id
		d.get(id).url = url
	}
}

// fail notes why a document did not load. One that was given up, as by a download or
// by an answer without content, leaves the one that is shown.
func (d *documents) fail(id cdp.LoaderID, why string, givenUp bool) {
	if d.all[id] == nil {
		return
	}
	if !givenUp {
		d.all[id].broken = why
	} else if d.coming == id {
		d.coming = ""
	}
}

// show notes what a frame shows now.
func (d *documents) show(f *cdp.Frame) {
	if f.ParentID != "" {
		return
	}
	d.frame, d.shown = f.ID, f.LoaderID
	if d.coming == f.LoaderID {
		d.coming = ""
	}
	doc := d.get(f.LoaderID)
	if doc.url = f.URL + f.URLFragment; f.UnreachableURL != "" {
		doc.url = f.UnreachableURL
	}
}

// settled reports whether the document that is shown loads nothing more, and no other
// one is asked for.
func (d *documents) settled() bool {
	return d.shown != "" && d.coming == "" && d.get(d.shown).quiet
}

// loaded reports whether the document that is shown is loaded.
func (d *documents) loaded() bool { return d.shown != "" && d.get(d.shown).loaded }
