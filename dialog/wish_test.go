package dialog

import (
	"strings"
	"testing"
)

func TestWishHoldsOnlyAsConfirmed(t *testing.T) {
	a := Authority{Key: []byte("key"), Project: "p"}
	doc := "# Main\n\nText.\n\nəəəproject/v1\ntools read\nəəə\n\nəəəcontrol/v1\nallow write_file\nəəə\n\nMore.\n"
	w, ok := FindWish(doc)
	if !ok || w.Text != "allow write_file" || a.Confirmed(w) {
		t.Fatalf("%+v %v", w, ok)
	}
	confirmed := a.Confirm(doc)
	if !strings.HasPrefix(confirmed, "# Main\n\nText.\n") || !strings.HasSuffix(confirmed, "əəə\n\nMore.\n") {
		t.Errorf("the rest of the doc changed:\n%s", confirmed)
	}
	w, _ = FindWish(confirmed)
	if !a.Confirmed(w) || w.Text != "allow write_file" {
		t.Errorf("%+v is not confirmed", w)
	}
	if again := a.Confirm(confirmed); again != confirmed {
		t.Errorf("confirmed twice:\n%s", again)
	}
	for name, c := range map[string]struct {
		a   Authority
		doc string
	}{
		"edited":          {a, strings.Replace(confirmed, "allow write_file", "allow run_command", 1)},
		"a line more":     {a, strings.Replace(confirmed, "allow write_file", "allow write_file\nallow edit_file", 1)},
		"other project":   {Authority{Key: a.Key, Project: "q"}, confirmed},
		"other install":   {Authority{Key: []byte("yek"), Project: "p"}, confirmed},
		"no key":          {Authority{Project: "p"}, confirmed},
		"line not last":   {a, strings.Replace(confirmed, "\nəəə\n\nMore", "\nallow x\nəəə\n\nMore", 1)},
		"never confirmed": {a, doc},
	} {
		if w, _ := FindWish(c.doc); c.a.Confirmed(w) {
			t.Errorf("%s: honoured %+v", name, w)
		}
	}
}

func TestNoWish(t *testing.T) {
	for _, doc := range []string{"", "# Main\n", "əəəcontrol/v1\nallow x\n", "əəəproject/v1\nəəəəcontrol/v1\nəəə\n", "```\n  əəəcontrol/v1\n```\n"} {
		if w, ok := FindWish(doc); ok {
			t.Errorf("%q: found %+v", doc, w)
		}
		if got := (Authority{Key: []byte("k")}).Confirm(doc); got != doc {
			t.Errorf("%q changed to %q", doc, got)
		}
	}
}
