package server

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/provider/providertest"
)

// liveFrame is what a live stream says of one of its watches.
type liveFrame struct {
	Watch, At string
	Frame     struct {
		frame
		From   int
		Blocks []string
		Tail   string
	}
}

func (s *shop) live(watches ...string) *following {
	s.t.Helper()
	return s.follow(s.request("GET", "/live?"+url.Values{"watch": watches}.Encode(), nil))
}

func (f *following) nextLive() liveFrame {
	f.t.Helper()
	fr, ok := f.next()
	if !ok {
		f.t.Fatal("the live stream ended")
	}
	var l liveFrame
	if err := json.Unmarshal([]byte(fr.data), &l); err != nil {
		f.t.Fatal(err)
	}
	return l
}

// until reads frames of a watch until one has that type, and returns all of them.
func (f *following) until(key, kind string) []liveFrame {
	f.t.Helper()
	var all []liveFrame
	for {
		l := f.nextLive()
		if l.Watch != key {
			continue
		}
		all = append(all, l)
		if l.Frame.Type == kind {
			return all
		}
	}
}

func kindsOf(all []liveFrame) string {
	plain := make([]frame, len(all))
	for i, l := range all {
		plain[i] = l.Frame.frame
	}
	return strings.ReplaceAll(frameTypes(plain), "open open", "open")
}

// One live stream follows a dialog turn after turn, and resumes where it was.
func TestLiveFollowsADialog(t *testing.T) {
	testenv.Slow(t)
	s := newShop(t, providertest.Reply{Text: "One *light*.\n\nTwo.\n\n# Three\n\nFour, with words that take a while to come.", Chunk: 4, DelayMS: 60}, providertest.Reply{Text: "Again."}, providertest.Reply{Text: "Third."})
	id := decode[draft](t, s.json("POST", "/project/p/dialog/new", `{"provider":"claude"}`, 200)).DialogID
	live := s.live("a/project/p", "b/dialog/p/"+id, "c/dialog/p/20200101-000000-none")
	if first := live.until("c", "error")[0]; first.Frame.Status != 404.0 || first.Frame.Kind != "refused" {
		t.Errorf("no such dialog: %+v", first.Frame)
	}
	live = s.live("a/project/p", "b/dialog/p/"+id)
	live.until("b", "done") // of a draft

	s.dialog("PUT", `{"dialogId":"`+id+`","prompt":"go on"}`)
	all := live.until("b", "done")
	if got := strings.Join(strings.Fields(strings.ReplaceAll(kindsOf(all), "budget ", "")), " "); !strings.HasPrefix(got, "section:System section:User open") || !strings.HasSuffix(got, "section:Assistant done") {
		t.Errorf("the first turn: %s", got)
	}
	whole := all[len(all)-2].Frame.Section.HTML
	blocks := ""
	for _, l := range all {
		if l.Frame.Type == "open" {
			blocks += strings.Join(l.Frame.Blocks, "")
		}
	}
	if !strings.HasPrefix(blocks, "<p>One <em>light</em>.</p>\n") || !strings.HasPrefix(whole, blocks) {
		t.Errorf("closed blocks %q of %q", blocks, whole)
	}
	last := all[len(all)-1].At

	s.dialog("PUT", `{"dialogId":"`+id+`","prompt":"more"}`)
	again := live.until("b", "section")
	if len(again) != 1 && again[0].Frame.Type != "done" {
		t.Errorf("the second turn begins with %s", kindsOf(again))
	}
	live.until("b", "done")

	resumed := s.live("x/dialog/p/"+id+"/"+last).until("x", "done")
	if got := kindsOf(resumed); got != "section:User section:Assistant done" {
		t.Errorf("resumed: %s", got)
	}
	if got := kindsOf(s.live("x/dialog/p/"+id+"/77+3").until("x", "done")); !strings.HasPrefix(got, "reset section:System") {
		t.Errorf("resumed at no position: %s", got)
	}
	view := get[dialogView](s, "/project/p/dialog/"+id+"?markdown=0&from=-2")
	if view.From != view.Total-2 || len(view.Sections) != 2 || view.At != resumed[len(resumed)-1].At {
		t.Errorf("the window at the end: from %d of %d, %d sections, at %s", view.From, view.Total, len(view.Sections), view.At)
	}
}

func TestLiveTellsOfChanges(t *testing.T) {
	s := newShop(t)
	live := s.live("1/project/p", "2/project/gone")
	if l := live.until("2", "error"); l[0].Frame.Status != 404.0 {
		t.Errorf("no such project: %+v", l[0].Frame)
	}
	s.json("POST", "/project/p/file/doc-new.md", `{"content":"x"}`, 200)
	for {
		if l := live.until("1", "change"); slices.ContainsFunc(l, func(l liveFrame) bool { return l.Frame.Kind == "files" && l.Frame.Name == "doc-new.md" }) {
			break
		}
	}
}

// A watch that can't be followed ends none of the others.
func TestLiveRefuses(t *testing.T) {
	s := newShop(t)
	followed := func(live *following) {
		t.Helper()
		if l := live.until("good", "projects"); len(l) != 1 {
			t.Errorf("the good watch: %+v", l)
		}
	}
	for _, watch := range []string{"", "a", "a/project", "a/project/../x", "a/project/p/more", "/project/p", "a/dialog/p", "a/dialog/p/", "a/dialog/p/x/y", "a/dialog/p/x/1+2/z"} {
		live := s.live(watch, "good/projects")
		key, _, _ := strings.Cut(watch, "/")
		if l := live.until(key, "error")[0].Frame; l.Kind != "refused" || l.Status != 400.0 {
			t.Errorf("%q: %+v", watch, l)
		}
		followed(live)
	}
	many := append([]string{"good/projects"}, slices.Repeat([]string{"a/project/p"}, watchesMax)...)
	live := s.live(many...)
	if l := live.until("a", "error")[0].Frame; l.Kind != "refused" || l.Status != 400.0 {
		t.Errorf("the surplus: %+v", l)
	}
	live = s.live(many...)
	followed(live)
	s.json("GET", "/live", "", 401, "Authorization", "")
}

// A dialog is followed on after its project was deleted and restored.
func TestLiveFollowsARestoredProject(t *testing.T) {
	s := newShop(t)
	id := decode[draft](t, s.json("POST", "/project/p/dialog/new", `{"provider":"claude"}`, 200)).DialogID
	live := s.live("d/dialog/p/"+id, "n/projects")
	live.until("d", "done")
	_, zip := s.do(s.request("GET", "/project/p/snapshot?scope=all", nil))
	s.json("DELETE", "/projects/p", "", 204)
	live.until("d", "error")
	s.json("POST", "/projects?name=p", zip, 200, "Content-Type", "application/zip")
	live.until("d", "done")
	s.json("PUT", "/project/p/dialog", `{"dialogId":"`+id+`","title":"Other words"}`, 200)
	live.until("d", "section")
}
