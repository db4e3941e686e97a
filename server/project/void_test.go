package project

import (
	"strings"
	"testing"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
)

// byHand is a dialog in which a hand wrote an Authorization, and a call waits.
const byHand = `# Dialog
> DialogId: 20260216-201100-x
> Provider: p
> Model: m
> Status: waiting
> Started: 2026-02-16T20:11:00Z

## Tool Request
> Id: c1
> Tool: run_command

əəətool/input/json
{}
əəə

## Authorization

əəəcontrol/v1
allow run_command
əəə
`

// What comes by a restore, or is a copy that the server makes itself, approves
// nothing, also where an editor's hand may. The text of before stays as it was.
func TestOnlyAHandInPlaceApproves(t *testing.T) {
	const id = "20260216-201100-x"
	name := dialog.Filename(id, dialog.Waiting)
	runs := func(p *Project, id string) bool {
		t.Helper()
		got, err := p.ReadDialog(id)
		must(t, err)
		d := dialog.Parse(got.Text)
		a := grant.Authority{Project: p.name, DialogID: id, InFiles: true}
		return grant.Decide(d, grant.Of(d, a), grant.Policy{})[0].Verdict == grant.Run
	}
	p := testProject(t)
	write(t, p.path(name), byHand)
	if !runs(p, id) {
		t.Fatal("a hand in place does not count")
	}

	z := zipOf(t, name, byHand)
	_, err := p.store.Restore("again", z, z.Size(), UploadLimits, nil)
	must(t, err)
	q, err := p.store.Project("again")
	must(t, err)
	if got := read(t, q.path(name)); !strings.HasPrefix(got, byHand) || strings.Count(got, "\n## ") != 3 {
		t.Errorf("restored as\n%s", got)
	}
	if runs(q, id) {
		t.Error("what came out of a zip runs")
	}
	write(t, q.path(name), read(t, q.path(name))+"\n## Authorization\n\nəəəcontrol/v1\nallow run_command\nəəə\n")
	if !runs(q, id) {
		t.Error("what a hand wrote after the restore does not count")
	}

	f, err := p.OpenDialog(id)
	must(t, err)
	kept, err := f.keep(nil)
	must(t, err)
	must(t, f.Close())
	next, _, _ := dialog.ParseName(kept)
	if next == id || runs(p, next) {
		t.Errorf("the copy %s, kept of a conflict, runs", kept)
	}

	write(t, p.path(dialog.Filename(id, dialog.Done)), strings.Replace(byHand, "Status: waiting", "Status: done   ", 1))
	mended, err := p.Repair()
	must(t, err)
	if len(mended) != 1 || !strings.Contains(mended[0].Did, "a dialog of its own now") {
		t.Fatalf("mended %+v", mended)
	}
	if parted, _, _ := dialog.ParseName(mended[0].File); parted == id || runs(p, parted) {
		t.Errorf("the older of two files, %s now, runs", mended[0].File)
	}
}

// A restore changes the Mac of the Authorization, and no other text that quotes it.
func TestRestoreKeepsWhatQuotesAMac(t *testing.T) {
	const id = "20260216-201100-x"
	a := grant.Authority{Key: []byte("0123456789abcdef0123456789abcdef"), Project: "p", DialogID: id}
	stamp := "2026-02-16T20:11:00Z - 2026-02-16T20:11:00Z"
	auth := dialog.Section{Role: dialog.Authorization, ID: "auth_1", Time: stamp, Payloads: []dialog.Payload{{Type: dialog.ControlV1, Text: "allow run_command"}}}
	a.Seal(&auth, "")
	mac := auth.Meta.Get("Mac")
	quote := dialog.Section{Role: dialog.User, ID: "u1", Time: stamp, Payloads: []dialog.Payload{{Type: dialog.InputMarkdown, Text: "before and behind: " + mac + "\n> Mac: " + mac}}}
	d := dialog.Parse("# Dialog\n> DialogId: " + id + "\n> Provider: p\n> Model: m\n> Status: waiting\n> Started: 2026-02-16T20:11:00Z\n")
	d.Append(quote)
	d.Append(auth)
	other := dialog.Section{Role: dialog.Authorization, ID: "auth_2", Time: stamp, Payloads: []dialog.Payload{{Type: dialog.ControlV1, Text: "allow write_file"}}}
	a.Seal(&other, mac)
	d.Append(other)
	second := quote
	second.ID = "u2"
	d.Append(second)
	text := dialog.Format(d)
	got := void(a, time.Now(), dialog.Filename(id, dialog.Waiting), text)
	if want := strings.Count(text, mac) - 1; strings.Count(got, mac) != want {
		t.Errorf("%d of %d Macs are left:\n%s", strings.Count(got, mac), want, got)
	}
	now := dialog.Parse(got)
	if g := grant.Of(now, a); len(g.Rules) > 0 || now.Find(dialog.User, "u2") < 0 {
		t.Errorf("%+v\n%s", g, got)
	}
}

// A disk may keep a name in small letters, by which a Mac of an earlier project's dialog
// would be genuine again.
func TestRestoreVoidsInSmallLetters(t *testing.T) {
	a := grant.Authority{Key: []byte("0123456789abcdef0123456789abcdef"), Project: "game", DialogID: "20260216-201100-read"}
	stamp := "2026-02-16T20:11:00Z - 2026-02-16T20:11:00Z"
	auth := dialog.Section{Role: dialog.Authorization, ID: "auth_1", Time: stamp, Payloads: []dialog.Payload{{Type: dialog.ControlV1, Text: "allow run_command"}}}
	a.Seal(&auth, "")
	d := dialog.Parse("# Dialog\n> DialogId: " + a.DialogID + "\n> Provider: p\n> Model: m\n> Status: waiting\n> Started: 2026-02-16T20:11:00Z\n")
	d.Append(auth)
	given := a
	for _, given.Project = range []string{"game", "Game"} {
		for _, id := range []string{a.DialogID, "20260216-201100-Read"} {
			got := void(given, time.Now(), dialog.Filename(id, dialog.Waiting), dialog.Format(d))
			if len(grant.Of(dialog.Parse(got), a).Rules) > 0 {
				t.Errorf("restored as %s/%s:\n%s", given.Project, id, got)
			}
		}
	}
}
