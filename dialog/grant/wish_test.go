package grant

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

func TestWishHoldsOnlyAsConfirmed(t *testing.T) {
	a := Authority{Key: []byte("key"), Project: "p", ProjectID: "0a"}
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
		"other name":      {Authority{Key: a.Key, Project: "q", ProjectID: "0a"}, confirmed},
		"same name again": {Authority{Key: a.Key, Project: "p", ProjectID: "0b"}, confirmed},
		"no id":           {Authority{Key: a.Key, Project: "p"}, Authority{Key: a.Key, Project: "p"}.Confirm(doc)},
		"other install":   {Authority{Key: []byte("yek"), Project: "p", ProjectID: "0a"}, confirmed},
		"no key":          {Authority{Project: "p", ProjectID: "0a"}, Authority{Project: "p", ProjectID: "0a"}.Confirm(doc)},
		"older version":   {a, strings.Replace(doc, "allow write_file\n", "allow write_file\n# confirmed "+a.mac("vibey/wish/1", "p", "allow write_file")+"\n", 1)},
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

// TestWishMacIsWhatItSays: built here by hand, from the words of wishMac.
func TestWishMacIsWhatItSays(t *testing.T) {
	h := hmac.New(sha256.New, []byte("key"))
	for _, part := range []string{"vibey/wish/1", "p", "0123456789abcdef0123456789abcdef", "allow x"} {
		h.Write([]byte{0, 0, 0, 0, 0, 0, 0, byte(len(part))})
		h.Write([]byte(part))
	}
	a := Authority{Key: []byte("key"), Project: "p", ProjectID: "0123456789abcdef0123456789abcdef"}
	if w, _ := FindWish(a.Confirm("əəəcontrol/v1\nallow x\nəəə\n")); w.Mac != hex.EncodeToString(h.Sum(nil)) {
		t.Errorf("the mark is %s", w.Mac)
	}
}

// TestBrings: what makes a confirmation hold that did not hold before.
func TestBrings(t *testing.T) {
	a := Authority{Key: []byte("key"), Project: "p", ProjectID: "0a"}
	block := func(line string) string { return "əəəcontrol/v1\n" + line + "\nəəə\n" }
	one, two := a.Confirm(block("allow x")), a.Confirm(block("allow y"))
	edited := strings.Replace(one, "allow x", "allow z", 1)
	for _, c := range []struct {
		name, old, new string
		want           bool
	}{
		{"nothing", "", "", false},
		{"made of nothing", "", one, true},
		{"kept", "# A\n" + one, "# B\n" + one + "more\n", false},
		{"the old bytes again", edited, one, true},
		{"edited, and so void", one, edited, false},
		{"the mark taken off", one, block("allow x"), false},
		{"the mark put on", block("allow x"), one, true},
		{"another one beside it", one, one + two, true},
		{"the first one removed, so that the second counts", block("deny x") + one, one, true},
		{"the second one removed", one + two, one, false},
		{"one put before it", one, block("deny x") + one, false},
		{"another project's", "", Authority{Key: a.Key, Project: "q", ProjectID: "0a"}.Confirm(block("allow x")), false},
	} {
		if got := a.Brings(c.old, c.new); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestUnmarked(t *testing.T) {
	mac := strings.Repeat("0a", 32)
	for doc, want := range map[string]string{
		"": "", "# confirmed by me\n": "# confirmed by me\n", "no mark\n": "no mark\n",
		"əəəcontrol/v1\nallow x\n# confirmed " + mac + "\nəəə\n":         "əəəcontrol/v1\nallow x\nəəə\n",
		"əəəcontrol/v1\r\nallow x\r\n# confirmed " + mac + "\r\nəəə\r\n": "əəəcontrol/v1\r\nallow x\r\nəəə\r\n",
		"a\n # confirmed\t" + mac:                        "a\n",
		"see # confirmed " + mac + ", and " + mac + "\n": "see # confirmed …, and …\n",
	} {
		if got := Unmarked(doc); got != want {
			t.Errorf("%q became %q", doc, got)
		}
	}
}

// TestMarksOfALine: a model reads none of several marks, also in one line.
func TestMarksOfALine(t *testing.T) {
	a, b := strings.Repeat("0a", 32), strings.Repeat("1b", 32)
	doc := "x\n# confirmed " + a + "\ny\n# confirmed " + b + " z # confirmed " + a + "\n"
	if got := Unmarked(doc); got != "x\ny\n# confirmed … z # confirmed …\n" {
		t.Errorf("%q", got)
	}
	if got := Marks(doc); len(got) != 3 {
		t.Errorf("%d of 3 marks", len(got))
	}
}
