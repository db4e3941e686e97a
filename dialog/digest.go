package dialog

import "slices"

// Digest is what a list shows of a dialog, folded section by section: a digest that
// is extended after each append is that of a fresh one, and costs as much in a dialog
// of any length. Texts are parts of the dialog's text.
type Digest struct {
	Title   string     // as it was given; "" for none
	Prompt  string     // the first message, whole
	Words   string     // the last message or answer that is not blank, whole
	Said    bool       // Words are the model's
	Open    bool       // Words are being written
	Wrote   []int64    // the tokens of each of the last wroteMost answers that were counted
	Stop    string     // why the governor stopped the turn, where nothing came since
	Failure string     // what the turn failed of, where nothing came since
	From    string     // the dialog that launched it, or ""
	Origin  Origin     // where it was forked from, or the zero value
	Tokens  Resources  // in all
	Own     Resources  // the same without what was spent before it was forked
	Models  []Spending // Own by model, without those of which nothing was counted

	model     string
	folded    int // sections
	version   int // of the dialog's index
	inherited int // of its sections
	of        *Dialog
}

// wroteMost is how many answers the line on a tile of the board is drawn of.
const wroteMost = 20

// Spending is what one model counted in a dialog.
type Spending struct {
	Model string
	Resources
}

// Extend folds the sections that d got since the last call, or all where d is another
// value, one of them became torn, or another part of them is inherited.
func (g *Digest) Extend(d *Dialog) {
	inherited := d.Inherited()
	if g.of != d || g.version != d.Version() || g.inherited != inherited {
		*g = Digest{of: d, version: d.Version(), inherited: inherited, model: Readable(d.Header.Model)}
		g.Title = LineOf(d.Header.Meta.Get(headTitle), TitleMax)
		if from := d.Header.Meta.Get("From"); ValidID(from) {
			g.From = from
		}
		g.Origin, _ = d.Header.Origin()
	}
	for ; g.folded < len(d.Sections); g.folded++ {
		g.add(&d.Sections[g.folded])
		g.spend(&d.Sections[g.folded], g.folded >= inherited)
	}
}

// With returns g with one section more, which g is not extended by.
func (g Digest) With(s *Section) Digest {
	g.Models, g.Wrote = slices.Clone(g.Models), slices.Clone(g.Wrote)
	g.add(s)
	g.spend(s, true)
	return g
}

// add folds what one section says.
func (g *Digest) add(s *Section) {
	if s.Torn {
		return
	}
	switch s.Role {
	case User:
		if m := s.Meta.Get("Model"); m != "" || s.Meta.Get("Provider") != "" {
			g.model = Readable(m) // as Builder.chooseModel
		}
		g.Stop, g.Failure = "", ""
		if text := UserInput(s); !IsBlank(text) {
			if g.Prompt == "" {
				g.Prompt = text
			}
			g.Words, g.Said = text, false
		}
	case Assistant:
		if !IsBlank(s.Text()) {
			g.Words, g.Said, g.Failure = s.Text(), true, ""
		}
	case Note:
		g.note(s)
	}
}

func (g *Digest) note(s *Section) {
	if t := s.title(); t != "" {
		g.Title = t
	}
	if s.Continues() {
		g.Stop, g.Failure = "", ""
	}
	if stop := s.Meta.Get("Stop"); stop != "" {
		g.Stop = stop
	}
	if s.Kind() == "mistake" && s.Meta.Get("To") == "human" && s.Meta.Has("Failure") {
		g.Failure = s.Text()
	}
}

// spend counts what a section cost, own if it cost that in this dialog.
func (g *Digest) spend(s *Section, own bool) {
	if s.Torn {
		return
	}
	r := s.Spent()
	g.Tokens = g.Tokens.Plus(r)
	if r.Out > 0 {
		g.Wrote = append(g.Wrote[max(0, len(g.Wrote)+1-wroteMost):], r.Out)
	}
	if !own {
		return
	}
	g.Own = g.Own.Plus(r)
	if r.In == 0 && r.Out == 0 {
		return
	}
	i := slices.IndexFunc(g.Models, func(m Spending) bool { return m.Model == g.model })
	if i < 0 {
		i, g.Models = len(g.Models), append(g.Models, Spending{Model: g.model})
	}
	g.Models[i].Resources = g.Models[i].Resources.Plus(r)
}
