package family

import (
	"context"
	"fmt"
	"slices"

	"vibey/dialog"
	"vibey/dialog/governor"
	"vibey/dialog/grant"
	"vibey/provider"
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
