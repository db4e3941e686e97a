// Package foldtest holds an adapter's encoding of histories against what all
// of them promise: the same bytes with a memo and without, a beginning that
// never changes, requests that a strict provider accepts, and reasoning that
// travels exactly as long as all before it is as it was.
package foldtest

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/provider"
	"vibey/provider/providertest"
	"vibey/provider/wire"
)

// Adapter is what a test knows of one.
type Adapter struct {
	Coder  wire.Coder
	Writer provider.Writer
	Hint   string // what the adapter puts into bodies for caches
	Tail   string // what ends a body whose last message is a user's
	// Joins: the texts of a message are one string, and a list once a picture comes to them.
	Joins  bool
	Update bool // rewrites testdata/pictures.json
	// Sent reports whether the body holds a reasoning block; nil leaves that open.
	Sent func(body []byte, native string) bool
}

const (
	name  = "here"
	model = "claude-opus-5" // any: the adapters look at it for limits only
)

// Run checks an adapter.
func Run(t *testing.T, a Adapter) {
	t.Run("memo", func(t *testing.T) { rapid.Check(t, a.memo) })
	t.Run("edited", func(t *testing.T) { rapid.Check(t, a.edited) })
	t.Run("pictures", a.pictures)
}

// pictures holds a request with pictures before, between and behind texts and results
// against testdata/pictures.json. Where the bytes of one are missing its path is sent.
func (a Adapter) pictures(t *testing.T) {
	said := func(text string) history.Item { return history.Item{Kind: history.UserText, Text: text} }
	h := history.History{Tools: providertest.Question().History.Tools, Items: []history.Item{
		said("[PICTURE] files/x:"), pictureItem(0, name, model), said("[PICTURE] files/x:"), pictureItem(1, name, model), said("Which is older?"), said("Look well."),
		{Kind: history.AssistantText, Text: "I look."},
		{Kind: history.CallItem, CallID: "call_1", Tool: "run_command", Args: "{}"},
		{Kind: history.ResultItem, CallID: "call_1", Tool: "run_command", Text: "{}"}, pictureItem(0, name, model),
	}, Stable: 8}
	r := request(h, nil)
	body := providertest.Request(a.Writer, r)
	Golden(t, a.Update, "pictures.json", body)
	if err := providertest.Validate(a.Coder.API(), body); err != nil {
		t.Error(err)
	}
	r.Pictures = nil
	for i := range h.Items {
		if it := &h.Items[i]; it.Kind == history.PictureItem {
			*it = said(it.Text)
		}
	}
	without := providertest.Request(a.Writer, r)
	if want := providertest.Request(a.Writer, request(h, nil)); !bytes.Equal(without, want) {
		t.Errorf("without the bytes:\n%s\nwant\n%s", without, want)
	}
}

func request(h history.History, memo *provider.Memo) *provider.Request {
	return &provider.Request{Provider: name, Model: model, History: h, Pictures: pictures, Memo: memo, CacheKey: "20260216-201100-x"}
}

// pictures are the least ones of two types, by their SHA-256.
var (
	pictures = map[string][]byte{}
	shas     []string
)

func init() {
	for _, b := range []string{
		"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;",
		"RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00",
	} {
		sha := dialog.SHA256(b)
		pictures[sha], shas = []byte(b), append(shas, sha)
	}
}

func pictureItem(n int, provider, model string) history.Item {
	return history.Item{Kind: history.PictureItem, Text: "files/x", SHA256: shas[n], Provider: provider, Model: model}
}

// saidByModel reports whether a response is made of that kind.
func saidByModel(k history.Kind) bool { return wire.By(k) == wire.ByModel }

// seal gives each reasoning block the prefix that it had when it was streamed.
func (a Adapter) seal(h history.History) {
	var answer *wire.Answer
	for i := range h.Items {
		it := &h.Items[i]
		if !saidByModel(it.Kind) {
			answer = nil
			continue
		}
		if answer == nil {
			before := h
			before.Items, before.Stable = h.Items[:i], 0
			answer = wire.Encode(a.Coder, request(before, nil)).Answer()
		}
		switch it.Kind {
		case history.AssistantText:
			answer.Text(it.Text)
		case history.CallItem:
			answer.Call(provider.Call{ID: it.CallID, Name: it.Tool, Args: it.Args})
		default:
			it.Prefix = answer.Reasoning(it.Text, it.Native).Prefix
		}
	}
}

// requests are the histories that were sent on the way to h, in order.
func requests(h history.History) (all []history.History) {
	stable := 0
	for i := range h.Items {
		next := i+1 == len(h.Items) || saidByModel(h.Items[i+1].Kind)
		if saidByModel(h.Items[i].Kind) {
			stable = i + 1
		} else if next {
			part := h
			part.Items, part.Stable = h.Items[:i+1], stable
			all = append(all, part)
		}
	}
	return all
}

// kept counts the blocks that must travel: those behind which their response
// says something.
func kept(h history.History) (natives []string) {
	for i, it := range h.Items {
		if it.Kind != history.ReasoningItem {
			continue
		}
		rest := h.Items[i:]
		next := slices.IndexFunc(rest, func(x history.Item) bool { return x.Kind != history.ReasoningItem })
		if next > 0 && saidByModel(rest[next].Kind) {
			natives = append(natives, it.Native)
		}
	}
	return natives
}

func (a Adapter) memo(t *rapid.T) {
	h := Draw(t, a.Coder.API(), name, model)
	a.seal(h)
	memo := &provider.Memo{}
	var before []byte
	for i, part := range requests(h) {
		body, prefix := a.Writer.Request(request(part, nil))
		if rapid.Bool().Draw(t, "moved") { // a builder's array grows
			part.Items = slices.Clone(part.Items)
		}
		if got, its := a.Writer.Request(request(part, memo)); !bytes.Equal(got, body) || its != prefix {
			t.Fatalf("request %d, with memo:\n%s %s\nwithout:\n%s %s", i, its, got, prefix, body)
		}
		if err := providertest.Validate(a.Coder.API(), body); err != nil {
			t.Fatalf("request %d: %v\n%s", i, err, body)
		}
		if a.Hint != "" {
			body = bytes.ReplaceAll(body, []byte(a.Hint), nil)
		}
		if !bytes.HasPrefix(body, before) {
			t.Fatalf("request %d begins otherwise than the one before it:\n%s\n%s", i, body, before)
		}
		before = bytes.TrimSuffix(body, []byte(a.Tail))
		if a.Joins {
			before = before[:max(0, bytes.LastIndex(before, []byte(`"role":"user"`)))]
		}
		for _, n := range kept(part) {
			if a.Sent != nil && !a.Sent(body, n) {
				t.Fatalf("request %d lacks %s:\n%s", i, n, body)
			}
		}
	}
}

// edited changes one thing: no block behind it may travel, all before it must.
func (a Adapter) edited(t *rapid.T) {
	h := Draw(t, a.Coder.API(), name, model)
	a.seal(h)
	memo := &provider.Memo{}
	a.Writer.Request(request(h, memo))
	h.Items = slices.Clone(h.Items)
	at := rapid.IntRange(0, len(h.Items)-1).Draw(t, "at")
	it := &h.Items[at]
	switch it.Kind {
	case history.ReasoningItem:
		if !slices.Contains(kept(h), it.Native) {
			return // it travels in no case, so it is part of nothing
		}
		it.Native = strings.Replace(it.Native, "{", "{ ", 1)
	case history.CallItem:
		it.Args = `{"changed":true}`
	case history.PictureItem:
		it.SHA256 = shas[(slices.Index(shas, it.SHA256)+1)%len(shas)]
	default:
		it.Text += " changed"
	}
	body := providertest.Request(a.Writer, request(h, memo))
	if !bytes.Equal(body, providertest.Request(a.Writer, request(h, nil))) {
		t.Fatalf("an edit changed what a memo does")
	}
	if err := providertest.Validate(a.Coder.API(), body); err != nil {
		t.Fatalf("after an edit: %v\n%s", err, body)
	}
	if a.Sent == nil {
		return
	}
	for i, x := range h.Items {
		if x.Kind == history.ReasoningItem && i >= at && a.Sent(body, x.Native) {
			t.Fatalf("item %d was changed, and the block at %d still travels:\n%s", at, i, body)
		}
	}
	early := h
	early.Items = h.Items[:at]
	for _, n := range kept(early) {
		if !a.Sent(body, n) {
			t.Fatalf("item %d was changed, and %s before it is gone:\n%s", at, n, body)
		}
	}
}

// Sealed is a request behind a response of text and two calls that carried
// these native blocks, the first before the text and the others before the calls.
func Sealed(c wire.Coder, natives []string) *provider.Request {
	h := history.History{Tools: providertest.Question().History.Tools, Items: []history.Item{{Kind: history.UserText, Text: "Go."}}}
	for i, n := range natives {
		if i == 1 {
			h.Items = append(h.Items, history.Item{Kind: history.AssistantText, Text: "I look."})
		}
		h.Items = append(h.Items, history.Item{Kind: history.ReasoningItem, Native: n, API: c.API(), Provider: name, Model: model})
	}
	for _, id := range []string{"call_1", "call_2"} {
		h.Items = append(h.Items, history.Item{Kind: history.CallItem, CallID: id, Tool: "run_command", Args: "{}"})
	}
	Adapter{Coder: c}.seal(h)
	for _, id := range []string{"call_1", "call_2"} {
		h.Items = append(h.Items, history.Item{Kind: history.ResultItem, CallID: id, Tool: "run_command", Text: "{}"})
	}
	return request(h, nil)
}

// Example is a request with a bit of everything, for goldens: reasoning that
// travels and reasoning that does not, parallel calls, a failed result, notes
// behind results, text in several scripts.
func Example(c wire.Coder, natives ...string) *provider.Request {
	r := Sealed(c, natives)
	h := &r.History
	h.System = "You are \"Vibey\".\nBe brief: ə 😀 \u2028."
	h.Items[len(h.Items)-1].Failed = true
	h.Items = append(h.Items,
		history.Item{Kind: history.UserText, Text: "[3 rounds left]"},
		history.Item{Kind: history.UserText, Text: "And\tnow?"},
		history.Item{Kind: history.ReasoningItem, Native: natives[0], API: c.API(), Provider: name, Model: model, Prefix: "of another place"},
		history.Item{Kind: history.AssistantText, Text: "One."},
		history.Item{Kind: history.AssistantText, Text: "Two <b>&amp;</b>."},
		history.Item{Kind: history.CallItem, CallID: "call_3", Tool: "invalid", Args: "{ \"a\" : 1.0e0 }"},
		history.Item{Kind: history.ResultItem, CallID: "call_3", Tool: "invalid", Text: `{"success":false,"error":"no such tool"}`, Failed: true},
	)
	for i := range h.Items {
		if k := h.Items[i].Kind; saidByModel(k) {
			h.Stable = i + 1
		}
	}
	r.NoTools = true
	// The system text came after the sealing, so seal again, but for the one
	// block that is to stay behind.
	last := h.Items[h.Stable-4].Prefix
	Adapter{Coder: c}.seal(*h)
	h.Items[h.Stable-4].Prefix = last
	return r
}

// Golden holds a request against testdata/NAME, which update rewrites.
func Golden(t *testing.T, update bool, name string, body []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if update {
		if err := os.WriteFile(file, body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(body)); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
}
