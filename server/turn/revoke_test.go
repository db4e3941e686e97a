package turn

import (
	"context"
	"strings"
	"testing"

	"vibey/dialog/grant"
	"vibey/provider"
	"vibey/server/hub"
)

// A human allowed a tool and then asked to be asked again. That the second word
// is damaged in the file does not bring the first one back.
func TestDamagedRevocationAsks(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{
		{write("c1", "deed/a.txt", "1")}, text("one"), {write("c2", "deed/b.txt", "2")}, text("two"),
	}})
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("allow write_file")})
	w.tell(id, "ask write_file")
	v := w.view(id)
	p, _ := w.run.w.Store.Project("p")
	if _, err := p.WriteFile(v.Filename, strings.Replace(v.Text, "\nask write_file", "\nask write_fill", 1), ""); err != nil {
		t.Fatal(err)
	}
	es := w.put(Input{DialogID: id, Prompt: &Prompt{Text: "again"}})
	if last := es[len(es)-1]; last.Type != hub.ToolEvent || len(last.Calls) != 1 {
		t.Errorf("ends with %s", types(es))
	}
	void := 0
	for _, s := range w.view(id).Dialog.Sections {
		if s.Void {
			void++
		}
	}
	if void != 1 {
		t.Errorf("%d sections are shown as void", void)
	}
}

// tell sends control text that lets nothing run.
func (w *world) tell(id, text string) {
	w.t.Helper()
	if _, sub, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Control: control(text)}); err != nil || sub != nil {
		w.t.Fatalf("%q: %v %v", text, sub, err)
	}
}

// The network that a command gets follows the last word about it.
func TestNetworkIsTakenBack(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{text("hello")}})
	id, _ := w.start("go")
	p, _ := w.run.w.Store.Project("p")
	for _, c := range []struct {
		say  string
		open bool
	}{{"allow network", true}, {"ask network", false}, {"allow network", true}, {"deny network", false}, {"allow network\ndeny network", false}, {"allow network", true}} {
		w.tell(id, c.say)
		f, err := p.OpenDialog(id)
		if err != nil {
			t.Fatal(err)
		}
		env, err := w.run.turn(f, Input{Project: w.p(), DialogID: id}).env(&grant.Call{})
		f.Close()
		if err != nil || env.Network != c.open {
			t.Errorf("%q: network %v, %v", c.say, env.Network, err)
		}
	}
}
