package turn

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vibey/cmd/tally/testenv"
	"vibey/provider"
	"vibey/tools/layer"
)

// What a rule released and an error ended in the middle comes to its end, also where the human
// takes back the rule and denies the call: its result never says that nothing happened.
func TestTriedHalfReleasedThenDenied(t *testing.T) {
	testenv.Slow(t)
	w := newWorldBy(t, &script{answers: [][]provider.Event{
		{command("c1", "cd deed; for i in $(seq 100 499); do printf new >$i; done")}, text("Done."),
	}}, 20*time.Second, layer.Overlay, layer.Copy)
	for i := 100; i < 500; i++ {
		w.save(fmt.Sprintf("deed/%d", i), "old")
	}
	killed := errors.New("killed")
	w.stands = func() error {
		if journals, _ := filepath.Glob(filepath.Join(w.dir, "state/applying/*.json")); len(journals) > 0 && w.read("deed/100") == "new" {
			return killed
		}
		return nil
	}
	id := startReleased(t, w)
	if r := result(w.view(id).Dialog, "c1"); r != "(none)" || w.read("deed/100") != "new" {
		t.Fatalf("it was not ended in the middle: %s", r)
	}
	w.stands = nil
	for _, text := range []string{"ask run_command deed/", "c1 deny"} {
		_, sub, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Control: control(text)})
		if err != nil {
			t.Fatal(err)
		}
		if sub != nil {
			w.drain(sub)
		}
	}
	r := result(w.view(id).Dialog, "c1")
	if first, last := w.read("deed/100"), w.read("deed/499"); strings.Contains(r, "Denied") && first == "new" || first != last {
		t.Errorf("the deed has %q and %q, and the result says %s", first, last, r)
	}
	w.nothingApplying()
}

func startReleased(t *testing.T, w *world) (id string) {
	t.Helper()
	sub, err := w.run.Start(context.Background(), Input{Project: w.p(), Provider: "claude", Model: "m", Slug: "x", Control: control("try run_command\nallow run_command deed/"), Prompt: &Prompt{Text: "go"}})
	if err != nil {
		t.Fatal(err)
	}
	return w.drain(sub)[0].DialogID
}
