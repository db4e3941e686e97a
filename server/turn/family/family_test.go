package family

import (
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/server/project"
)

// newProject makes a project, and says what its clock says.
func newProject(t *testing.T) (*project.Project, time.Time) {
	t.Helper()
	now := time.Date(2026, 2, 16, 20, 11, 0, 0, time.UTC)
	store, err := project.Open(t.TempDir(), project.Options{Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler), Template: func(string) string { return "# p\n" }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	if err := store.Create("p", ""); err != nil {
		t.Fatal(err)
	}
	p, err := store.Project("p")
	if err != nil {
		t.Fatal(err)
	}
	return p, now
}

// Each ceiling of a family lets the last one in and not one more, for the program that
// counted all along and for one that has just started, whatever the dialogs' states are,
// and whatever another family does. A launched dialog that no longer says whose it is
// counts.
func TestFamilyBounds(t *testing.T) {
	testenv.Slow(t)
	type kin struct {
		n      int
		status dialog.Status
		tokens int64  // of each
		header string // "Family" as it names it: "ours" for the root, "" for none
	}
	const all = grant.AgentsMost
	live := (grant.Rules{}).AgentsAtOnce()
	for what, c := range map[string]struct {
		kins []kin
		most int
		want string // of the refusal; "" for none
	}{
		"31 that are done":                  {[]kin{{all - 2, dialog.Done, 1, "ours"}}, live, ""},
		"32 that are done":                  {[]kin{{all - 1, dialog.Done, 1, "ours"}}, live, "has 32 dialogs"},
		"32 in three states":                {[]kin{{10, dialog.Done, 1, "ours"}, {20, dialog.Waiting, 1, "ours"}, {1, dialog.Active, 1, "ours"}}, live, "has 32 dialogs"},
		"40, of which 31 are ours":          {[]kin{{all - 2, dialog.Done, 1, "ours"}, {9, dialog.Done, 1, "20200101-000000-other"}}, live, ""},
		"32 with one of no family":          {[]kin{{all - 2, dialog.Done, 1, "ours"}, {1, dialog.Done, 1, "?"}}, live, "has 32 dialogs"},
		"3 at work":                         {[]kin{{live - 1, dialog.Active, 1, "ours"}}, live, ""},
		"4 at work":                         {[]kin{{live, dialog.Active, 1, "ours"}}, live, "4 dialogs of this family work"},
		"4 at work of another":              {[]kin{{live, dialog.Active, 1, "20200101-000000-other"}}, live, ""},
		"4 at work, of humans":              {[]kin{{live, dialog.Active, 1, ""}}, live, ""},
		"4 at work, 20 waiting":             {[]kin{{live, dialog.Active, 1, "ours"}, {20, dialog.Waiting, 1, "ours"}}, live, "4 dialogs of this family work"},
		"1 at work, where 1 may":            {[]kin{{1, dialog.Active, 1, "ours"}}, 1, "1 dialogs of this family work"},
		"4 at work, where 5 may":            {[]kin{{4, dialog.Active, 1, "ours"}}, 5, ""},
		"31 at work, where 32 may":          {[]kin{{all - 1, dialog.Active, 1, "ours"}}, all, "has 32 dialogs"},
		"a token below":                     {[]kin{{1, dialog.Done, tokensMost - 2, "ours"}}, live, ""},
		"the last token":                    {[]kin{{1, dialog.Done, tokensMost - 1, "ours"}}, live, "20000000 tokens"},
		"the last token, in many":           {[]kin{{19, dialog.Waiting, 1_000_000, "ours"}, {1, dialog.Active, 999_999, "ours"}}, live, "20000000 tokens"},
		"as many as a number holds":         {[]kin{{2, dialog.Done, 1<<63 - 1, "ours"}}, live, "the most it may"},
		"the last token, of another family": {[]kin{{1, dialog.Done, tokensMost - 1, "20200101-000000-other"}}, live, ""},
	} {
		t.Run(what, func(t *testing.T) {
			p, now := newProject(t)
			made := 0
			add := func(k kin, meta dialog.Fields) string {
				t.Helper()
				made++
				span := dialog.Span(now, now)
				f, err := p.NewDialog("d"+strconv.Itoa(made), now, dialog.Header{Provider: "m", Model: "x", Status: k.status, Meta: meta}, []dialog.Section{{
					Role: dialog.Assistant, ID: "msg_1", Time: span, Resources: dialog.Resources{Out: k.tokens, Total: k.tokens}, Payloads: []dialog.Payload{{Type: dialog.OutputMarkdown, Text: "spent"}},
				}})
				if err != nil {
					t.Fatal(err)
				}
				if k.status == dialog.Active {
					t.Cleanup(func() { f.Close() }) // one that is not held works no more
				} else {
					f.Close()
				}
				return f.ID()
			}
			root := add(kin{status: dialog.Done, tokens: 1}, nil)
			running := new(Families)
			for _, k := range c.kins {
				for range k.n {
					var meta dialog.Fields
					switch k.header {
					case "":
					case "?":
						meta = dialog.Fields{{Key: "From", Value: root}, {Key: "Family", Value: "no id"}, {Key: "Depth", Value: "1"}}
					default:
						meta = dialog.Fields{{Key: "From", Value: root}, {Key: "Family", Value: strings.Replace(k.header, "ours", root, 1)}, {Key: "Depth", Value: "1"}}
					}
					add(k, meta)
				}
				if _, err := running.count(p, root); err != nil { // so that it has counted before
					t.Fatal(err)
				}
			}
			for when, x := range map[string]*Families{"all along": running, "started anew": new(Families)} {
				err := x.Room(p, root, c.most)
				if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
					t.Errorf("%s: %v, want %q", when, err, c.want)
				}
			}
		})
	}
}

// While one family is counted, others are too; of one family only one at a time.
func TestFamiliesAreCountedSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var x Families
		leave := x.Enter("p", "one")
		x.Enter("p", "two")()
		x.Enter("q", "one")()
		entered := false
		go func() {
			defer x.Enter("p", "one")()
			entered = true
		}()
		synctest.Wait()
		if entered {
			t.Error("two count one family")
		}
		leave()
		synctest.Wait()
		if !entered || len(x.gates) != 0 {
			t.Errorf("entered: %t, kept: %d", entered, len(x.gates))
		}
	})
}

// A header that no longer says how deep a dialog was launched counts as the deepest.
func TestAncestry(t *testing.T) {
	const id, root = "20260216-201100-x", "20260216-201000-root"
	for _, c := range []struct {
		family, depth string
		want          string
		deep          int
	}{{"", "", id, 0}, {root, "1", root, 1}, {"x", "1", id, Deepest}, {root, "", root, Deepest}, {root, "-3", root, Deepest}, {root, "one", root, Deepest}, {"", "2", id, Deepest}, {root, "0", root, Deepest}} {
		h := dialog.Header{Meta: dialog.Fields{}.With("Family", c.family).With("Depth", c.depth)}
		if of, depth := Ancestry(h, id); of != c.want || depth != c.deep {
			t.Errorf("%q %q: %s %d", c.family, c.depth, of, depth)
		}
	}
	h := dialog.Parse("# Dialog\n> Model: m\n? Started: x\n> Family: " + root + "\n> Depth: 1\n").Header
	if of, depth := Ancestry(h, id); of != root || depth != Deepest {
		t.Errorf("with a damaged line: %s %d", of, depth)
	}
}

// Where every intent may take more rounds than its parent's message, a child gets the one
// that may take the fewest.
func TestWidest(t *testing.T) {
	rules := grant.Rules{Budgets: map[string]int{"": 1, "conversational": 50, "status_check": 3}}
	for most, want := range map[int]string{1: "status_check", 3: "status_check", 9: "diagnose", 50: "conversational", 150: "autonomous"} {
		if got := widest(rules, most); got != want {
			t.Errorf("%d: %s", most, got)
		}
	}
}
