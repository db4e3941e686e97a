package main

import (
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
)

// left are all states that a power cut may leave after these events.
func left(before map[string]string, all ...event) (*disk, []tree) {
	d := newDisk(before)
	for _, e := range all {
		d.apply(e)
	}
	var trees []tree
	c := cutter{random: rand.New(rand.NewPCG(1, 2)), cuts: 50, mixed: 20, holed: 1000}
	c.states(d, func(t tree) { trees = append(trees, t) })
	return d, trees
}

func has(trees []tree, want tree) bool {
	for _, t := range trees {
		if maps.Equal(t, want) {
			return true
		}
	}
	return false
}

func TestPowerCut(t *testing.T) {
	before := map[string]string{"p/a": "one\n"}
	with := func(more tree) tree {
		all := tree{"p/": "", "p/a": "one\n"}
		maps.Copy(all, more)
		return all
	}
	cases := []struct {
		name   string
		events []event
		may    []tree // among what is left
		never  []tree
	}{
		{"text that was not synced", []event{{kind: grow, path: "p/a", text: "two\n"}},
			[]tree{with(nil), with(tree{"p/a": "one\ntwo\n"}), with(tree{"p/a": "one\ntw"}), with(tree{"p/a": "one\n\x00\x00\x00\x00"}), with(tree{"p/a": "one\nt\x00\x00\x00"})}, nil},
		{"a page lost before another", []event{{kind: grow, path: "p/a", text: "two\n\n## three\n"}},
			[]tree{with(tree{"p/a": "one\n\x00\x00\x00\x00\n## three\n"}), with(tree{"p/a": "one\n\x00\x00\x00\x00\x00\x00# three\n"}), with(tree{"p/a": "one\n\x00\x00\x00\x00\x00\x00\x00\x00three\n"})},
			[]tree{with(tree{"p/a": "\x00\x00\x00\x00two\n\n## three\n"})}},
		{"text that was synced", []event{{kind: grow, path: "p/a", text: "two\n"}, {kind: sync, path: "p/a"}},
			[]tree{with(tree{"p/a": "one\ntwo\n"})}, []tree{with(nil)}},
		{"a word written over", []event{{kind: overwrite, path: "p/a", text: "TW", off: 1}},
			[]tree{with(nil), with(tree{"p/a": "oTW\n"}), with(tree{"p/a": "oTe\n"})}, nil},
		{"a rename that was not synced", []event{{kind: rename, path: "p/a", to: "p/b"}},
			[]tree{with(nil), {"p/": "", "p/b": "one\n"}}, nil},
		{"a rename that was synced", []event{{kind: rename, path: "p/a", to: "p/b"}, {kind: sync, path: "p"}},
			[]tree{{"p/": "", "p/b": "one\n"}}, []tree{with(nil)}},
		{"a new file whose text was synced, not its name", []event{{kind: create, path: "p/b"}, {kind: grow, path: "p/b", text: "x"}, {kind: sync, path: "p/b"}},
			[]tree{with(nil), with(tree{"p/b": "x"})}, []tree{with(tree{"p/b": ""})}},
		{"a name that was synced, not its text", []event{{kind: create, path: "p/b"}, {kind: grow, path: "p/b", text: "x"}, {kind: sync, path: "p"}},
			[]tree{with(tree{"p/b": ""}), with(tree{"p/b": "x"}), with(tree{"p/b": "\x00"})}, []tree{with(nil)}},
		{"a later change of names without an earlier one", []event{{kind: create, path: "p/b"}, {kind: remove, path: "p/a"}},
			[]tree{{"p/": ""}, with(tree{"p/b": ""}), {"p/": "", "p/b": ""}}, nil},
		{"a folder renamed with what is in it", []event{{kind: folder, path: "q"}, {kind: create, path: "q/a"}, {kind: sync, path: "q"}, {kind: rename, path: "q", to: "r"}, {kind: sync, path: "."}},
			[]tree{with(tree{"r/": "", "r/a": ""})}, []tree{with(nil)}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, trees := left(before, c.events...)
			for _, want := range c.may {
				if !has(trees, want) {
					t.Errorf("%q is not among %q", want, trees)
				}
			}
			for _, bad := range c.never {
				if has(trees, bad) {
					t.Errorf("%q is among %q", bad, trees)
				}
			}
		})
	}
}

func TestKillKeepsAll(t *testing.T) {
	d, _ := left(map[string]string{"p/a": "one\n"}, event{kind: grow, path: "p/a", text: "two\n"}, event{kind: rename, path: "p/a", to: "p/b"})
	if got := d.killed(); !maps.Equal(got, tree{"p/": "", "p/b": "one\ntwo\n"}) {
		t.Errorf("%q", got)
	}
}

// However an answer is split into writes, the same is heard.
func TestHear(t *testing.T) {
	chunk := func(s string) string {
		return string("0123456789abcdef"[len(s)/16]) + string("0123456789abcdef"[len(s)%16]) + "\r\n" + s + "\r\n"
	}
	answer := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" +
		chunk("id: 1+0\nevent: section\ndata: {\"type\":\"section\",\"dialogId\":\"d\",") + chunk("\"section\":{\"role\":\"User\",\"id\":\"u\",\"payloads\":[{\"type\":\"input/markdown\",\"text\":\"hi\"}]}}\n\n") +
		chunk("id: 1+2\nevent: chunk\ndata: {\"type\":\"chunk\",\"content\":\"He\"}\n\nid: 1+5\nevent: chunk\ndata: {\"type\":\"chunk\",\"content\":\"llo\"}\n\n") + "0\r\n\r\n"
	for cut := range len(answer) {
		said := newTold()
		for _, part := range []string{answer[:cut], answer[cut:]} {
			said.hear(event{kind: "said", conn: "c", text: part})
		}
		if cut > 0 && cut < len("HTTP/1.1 ") {
			continue // nobody writes half a status line
		}
		if len(said.sections) != 1 || said.sections[0].ID != "u" || said.sections[0].Payloads[0].Text != "hi" || said.text[""] != "Hello" || said.heard != 3 {
			t.Fatalf("cut at %d: heard %+v", cut, said)
		}
	}
	request := newTold()
	request.hear(event{conn: "p", text: strings.Replace(answer, "HTTP/1.1 200 OK", "POST / HTTP/1.1", 1)})
	if request.heard != 0 {
		t.Error("what was said to a provider was taken for an answer")
	}
}
