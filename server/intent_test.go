package server

import "testing"

// A text that is written is told how much work it would be; nothing of it is kept.
func TestIntentOfWhatIsWritten(t *testing.T) {
	s := newShop(t)
	d := decode[draft](t, s.json("POST", "/project/p/dialog/new", `{"provider":"claude"}`, 200))
	path := "/project/p/dialog/" + d.DialogID
	before := *get[dialogView](s, path).Markdown
	for prompt, want := range map[string]string{"Fix all typos.": "small_fix", "Build the whole app by yourself.": "autonomous", "all": ""} {
		if got := decode[intentAnswer](t, s.json("POST", path+"/intent", `{"prompt":"`+prompt+`"}`, 200)); got.Intent != want {
			t.Errorf("%q: %q, want %q", prompt, got.Intent, want)
		}
	}
	if after := *get[dialogView](s, path).Markdown; after != before {
		t.Errorf("it was written: %s", after)
	}
	s.json("POST", "/project/p/dialog/20260101-000000-none/intent", `{"prompt":"x"}`, 404)
}
