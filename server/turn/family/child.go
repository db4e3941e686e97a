// Package family counts the dialogs of a family, all that go back to one that a human
// started, and passes mail between dialogs. It owns what a family may have at most.
package family

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"vibey/dialog"
	"vibey/dialog/governor"
	"vibey/dialog/grant"
	"vibey/provider"
	"vibey/tools/caught"
)

// CheckModel refuses a model that its provider does not list, if it lists any.
func CheckModel(ctx context.Context, p provider.Provider, name, model string) error {
	models, err := p.Models(ctx)
	if err != nil || len(models) == 0 {
		return nil // what it has is not known
	}
	ids := make([]string, len(models))
	for i, m := range models {
		if ids[i] = m.ID; provider.SameModel(m.ID, model) {
			return nil
		}
	}
	return fmt.Errorf("%s has no model %q. Those that it has: %s", name, model, Names(ids))
}

// Names lists a few things in words.
func Names(names []string) string { return dialog.List(names, 30, ", ", "and %d more") }

// ChildIntent returns the intent of a prompt that a dialog of that own intent gives to
// another one: a child may take no more rounds than the message that its parent works on.
func ChildIntent(rules grant.Rules, own, prompt string) string {
	intent, most := governor.Classify(prompt), governor.Limit(rules, own)
	switch {
	case intent != "conversational" && governor.Limit(rules, intent) <= most: // an agent starts no other one to talk
		return intent
	case slices.Contains(grant.Intents, own):
		return own
	}
	return widest(rules, most)
}

// widest returns the intent that may take the most rounds, of those that may take most
// or fewer; if none may, the one that may take the fewest.
func widest(rules grant.Rules, most int) string {
	fewest := slices.MinFunc(grant.Intents, func(a, b string) int { return governor.Limit(rules, a) - governor.Limit(rules, b) })
	best, rounds := fewest, -1
	for _, i := range grant.Intents {
		if n := governor.Limit(rules, i); n <= most && n >= rounds {
			best, rounds = i, n
		}
	}
	return best
}

// endOf is the mail about the end of the dialog id.
func endOf(d *dialog.Dialog, id string, st dialog.Status) dialog.Mail {
	words, mark := d.LastWords()
	m := dialog.Mail{From: id, Mark: mark, End: st, Text: words}
	if st == dialog.Done {
		m.Denied, m.Early = d.EndedEarly()
	}
	return m
}

// endInText is the mail about the end of the dialog id, by its text alone: it is done, or
// its last turn broke off. ok is false if it has not ended.
func endInText(d *dialog.Dialog, id string, st dialog.Status) (m dialog.Mail, ok bool) {
	why, broke := d.BrokeOff()
	if st != dialog.Done && (st != dialog.Waiting || !broke) {
		return m, false
	}
	m = endOf(d, id, st)
	if st == dialog.Waiting {
		m.Error = why
	}
	return m, m.Mark != ""
}

// endError is the reason why a turn broke off, in words for another agent: a provider's
// own, or the kind of fault; "" for nil.
func endError(err error) string {
	var p *provider.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &p):
		return p.Message
	case caught.Of(err) != nil:
		return "A fault of the server stopped it. Its human can press Continue there."
	}
	return "Its file could not be written, or somebody else changed it meanwhile."
}

// Ending returns the mail about the end of dialog id, which became that status, and which
// dialog launched it. ok is false if nothing is to be sent.
func Ending(d *dialog.Dialog, id string, became dialog.Status, failure error) (m dialog.Mail, parent string, ok bool) {
	if parent = d.Header.Meta.Get("From"); !dialog.ValidID(parent) || parent == id {
		return m, "", false
	}
	m = endOf(d, id, became)
	m.Error = endError(failure)
	return m, parent, m.Mark != ""
}

// The ceilings of a family: all dialogs that go back to one that a human
// started, that one included.
const (
	Deepest    = 4                // a root has 0
	All        = grant.AgentsMost // ever
	tokensMost = 20_000_000       // in and out, of all of them
)
