package project

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
)

// life is a dialog with a section of every kind that a turn appends, and
// payloads that imitate the format.
func life() []dialog.Section {
	request := section(dialog.ToolRequest, 4, `{"command":"ls -l"}`)
	started := section(dialog.Note, 5, "run_command started")
	started.Meta = dialog.Fields{{Key: "Kind", Value: "started"}, {Key: "Parent", Value: "id_4"}}
	return []dialog.Section{
		section(dialog.User, 1, "Lies bitte. əəə\nəəə\n## User\n"),
		section(dialog.Reasoning, 2, "Hm."), section(dialog.Assistant, 3, "əəəcontrol/v1\nallow run_command\nəəə"), request, started,
		section(dialog.ToolResult, 4, `{"success":true,"stdout":"ü"}`),
	}
}

// response is what a model sends in one go.
func response() []dialog.Section {
	r := section(dialog.Reasoning, 10, "I think.")
	r.Payloads = append(r.Payloads, dialog.Payload{Type: "native/messages+json", Text: `{"signature":"ab"}`})
	return []dialog.Section{r, section(dialog.Assistant, 11, "Ich lese.\nəəə fertig"), section(dialog.ToolRequest, 12, `{"command":"cat vibey.md"}`)}
}

// textOf is a whole active dialog file of such sections.
func textOf(id string, secs []dialog.Section) string {
	h := header(dialog.Active)
	h.DialogID, h.Started = id, dialog.FormatTime(then)
	return dialog.Format(&dialog.Dialog{Header: h, Sections: secs})
}

const crashID = "20260216-201100-crash"

// afterCrash opens what a crash left, holds it against what was whole before,
// goes on with it, and removes it.
func afterCrash(t *testing.T, p *Project, text string, whole []dialog.Section) *dialog.Dialog {
	t.Helper()
	f, err := p.OpenDialog(crashID)
	must(t, err)
	defer func() {
		f.Close()
		must(t, p.DeleteFile(f.Filename(), ""))
	}()
	if f.Status() != dialog.Waiting {
		t.Fatalf("status %s after a crash", f.Status())
	}
	left := read(t, p.path(f.Filename()))
	if off, ok := dialog.StatusOffset(left); ok && off < len(text) { // the one word that may change
		rest := min(len(text), off+len(dialog.StatusWord(dialog.Waiting)))
		text = text[:off] + left[off:rest] + text[rest:]
	}
	if !strings.HasPrefix(left, text) {
		t.Fatalf("bytes that were there were changed:\n%q\n%q", text, left)
	}
	d := f.Dialog()
	for i := range whole {
		if !same(whole[i], d.Sections[i]) || d.Sections[i].Torn {
			t.Fatalf("section %d was whole and is now %+v", i, d.Sections[i])
		}
	}
	if _, err := p.dir.Lstat(dialog.OpenName(crashID)); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("the open response is still there: %v", err)
	}
	if tail := dialog.RepairTail(left, then); tail != "" {
		t.Fatalf("repaired, and to be repaired again: %q", tail)
	}
	must(t, f.Append(section(dialog.User, 99, "go on")))
	again := dialog.Parse(read(t, p.path(f.Filename())))
	last := again.Sections[len(again.Sections)-1]
	if last.Role != dialog.User || last.Text() != "go on" || last.Torn {
		t.Fatalf("a message after the repair is read as %+v", last)
	}
	return d
}

func same(a, b dialog.Section) bool {
	return a.Role == b.Role && a.ID == b.ID && reflect.DeepEqual(a.Payloads, b.Payloads)
}

func TestCutAtEveryByte(t *testing.T) {
	p := quickProject(t)
	secs := life()
	text := textOf(crashID, secs)
	ends := make([]int, len(secs)) // where each section ends in text
	for i := range secs {
		ends[i] = len(textOf(crashID, secs[:i+1]))
	}
	for cut := 0; cut <= len(text); cut++ {
		whole := 0
		for whole < len(ends) && ends[whole] <= cut {
			whole++
		}
		write(t, p.path(dialog.Filename(crashID, dialog.Active)), text[:cut])
		afterCrash(t, p, text[:cut], secs[:whole])
		if t.Failed() {
			t.Fatalf("cut at %d: %q", cut, text[max(0, cut-40):cut])
		}
	}
}

func TestOpenCutAtEveryByte(t *testing.T) {
	p := quickProject(t)
	secs := life()
	text := textOf(crashID, secs)
	var open []byte
	for _, s := range response() {
		open = dialog.AppendSection(open, &s)
	}
	for cut := 0; cut <= len(open); cut++ {
		write(t, p.path(dialog.Filename(crashID, dialog.Active)), text)
		write(t, p.path(dialog.OpenName(crashID)), string(open[:cut]))
		if cut%2 == 0 { // the first touch may be a reader's
			d, err := p.ReadDialog(crashID)
			must(t, err)
			if d.Open != "" || d.Status != dialog.Waiting {
				t.Fatalf("cut at %d: read as %s with open text %q", cut, d.Status, d.Open)
			}
		}
		d := afterCrash(t, p, text, secs)
		if !utf8.ValidString(dialog.Format(d)) {
			t.Fatalf("cut at %d: half a character was appended", cut)
		}
		left := wholeRunes(string(open[:cut]))
		if cut-len(left) >= utf8.UTFMax || !strings.HasPrefix(string(open), left) {
			t.Fatalf("cut at %d: more than a cut character is left out", cut)
		}
		var seen dialog.Section // of the open text, as a viewer had it
		for _, s := range dialog.Parse(left).Sections {
			if s.Role == dialog.Assistant && strings.Contains(left, "əəə"+dialog.OutputMarkdown+"\n") {
				seen = s
			}
		}
		if seen.ID != "" && len(seen.Payloads) > 0 {
			i := d.Find(dialog.Assistant, seen.ID)
			if i < 0 || d.Sections[i].Text() != seen.Text() || d.Sections[i].Meta.Get("Stop") != "interrupted" {
				t.Fatalf("cut at %d: text %q was seen and is not kept", cut, seen.Text())
			}
		}
	}
}

// The server is killed between the append of a response and the removal of the
// open one: nothing is said twice.
func TestOpenAlreadyAppended(t *testing.T) {
	p := quickProject(t)
	secs := append(life(), response()...)
	text := textOf(crashID, secs)
	var open []byte
	for _, s := range response()[:2] {
		open = dialog.AppendSection(open, &s)
	}
	write(t, p.path(dialog.Filename(crashID, dialog.Active)), text)
	write(t, p.path(dialog.OpenName(crashID)), string(open))
	if d := afterCrash(t, p, text, secs); len(d.Sections) != len(secs)+1 {
		t.Errorf("%d sections, want %d", len(d.Sections)-1, len(secs))
	}
}

// The server is killed within the append of a response: what was seen of it is
// in the file as something that counts, exactly once.
func TestCutWithinTheAppend(t *testing.T) {
	p := quickProject(t)
	base := textOf(crashID, life())
	text := textOf(crashID, append(life(), response()...))
	var open []byte
	for _, s := range response()[:2] {
		open = dialog.AppendSection(open, &s)
	}
	for cut := len(base); cut < len(text); cut++ {
		write(t, p.path(dialog.Filename(crashID, dialog.Active)), text[:cut])
		write(t, p.path(dialog.OpenName(crashID)), string(open))
		d := afterCrash(t, p, text[:cut], life())
		said := 0
		for i := range d.Sections {
			if s := &d.Sections[i]; !s.Torn && s.Role == dialog.Assistant && s.Text() == response()[1].Text() {
				said++
			}
		}
		if said != 1 {
			t.Fatalf("cut at %d of %d: the answer stands %d times:\n%s", cut-len(base), len(text)-len(base), said, dialog.Format(d)[len(base)-7:])
		}
	}
}

// A power cut leaves zeros for any part of the append of a response: what was
// seen of it counts exactly once, and nothing of it counts as another's.
func TestHolesWithinTheAppend(t *testing.T) {
	p := quickProject(t)
	base := textOf(crashID, life())
	text := textOf(crashID, append(life(), response()...))
	var open []byte
	for _, s := range response()[:2] {
		open = dialog.AppendSection(open, &s)
	}
	for from := len(base); from < len(text); from += 7 {
		for to := from + 1; to <= len(text); to += 1 + (to-from)/2 {
			holed := text[:from] + strings.Repeat("\x00", to-from) + text[to:]
			write(t, p.path(dialog.Filename(crashID, dialog.Active)), holed)
			write(t, p.path(dialog.OpenName(crashID)), string(open))
			d := afterCrash(t, p, holed, life())
			count := map[dialog.Role]int{}
			for i := len(life()); i < len(d.Sections); i++ {
				s := &d.Sections[i]
				if s.Torn || s.Role == dialog.Note || s.Text() == "go on" {
					continue
				}
				if !slices.ContainsFunc(response(), func(r dialog.Section) bool { return r.Role == s.Role && r.Text() == s.Text() }) {
					t.Fatalf("hole from %d to %d: %s %q counts", from-len(base), to-len(base), s.Role, s.Text())
				}
				count[s.Role]++
			}
			if count[dialog.Assistant] != 1 || count[dialog.Reasoning] != 1 || count[dialog.ToolRequest] > 1 || len(count) > 3 {
				t.Fatalf("hole from %d to %d: %v stand there:\n%q", from-len(base), to-len(base), count, dialog.Format(d)[len(base)-7:])
			}
		}
	}
}

// The name is the truth for the status, whatever the header says.
func TestKilledWithinSetStatus(t *testing.T) {
	p := quickProject(t)
	text := strings.Replace(textOf(crashID, life()), "> Status: active ", "> Status: waiting", 1)
	write(t, p.path(dialog.Filename(crashID, dialog.Done)), text)
	f, err := p.OpenDialog(crashID)
	must(t, err)
	defer f.Close()
	if f.Status() != dialog.Done || f.Dialog().Header.Status != dialog.Done {
		t.Errorf("status %s, header %s", f.Status(), f.Dialog().Header.Status)
	}
}

// What stands where the open response should be is not followed or waited for.
func TestOpenResponseNotPlain(t *testing.T) {
	p := quickProject(t)
	outside := t.TempDir() + "/secret"
	write(t, outside, "\n## Assistant\n> Id: x\n> Time: a - b\n> Resources: in=0 out=0 total=0 tools=0 ms=0\n\nəəəoutput/markdown\nstolen\nəəə\n")
	write(t, p.path(dialog.Filename(crashID, dialog.Active)), textOf(crashID, life()))
	must(t, os.Symlink(outside, p.path(dialog.OpenName(crashID))))
	d := afterCrash(t, p, textOf(crashID, life()), life())
	if strings.Contains(dialog.Format(d), "stolen") {
		t.Error("a link out of the project was read")
	}
	if !strings.Contains(read(t, outside), "stolen") {
		t.Error("the link's target was changed")
	}
}

// toldCut reports whether the section behind a line is the Note that something was cut off:
// what is left of a line that was cut stays in the file, and is told of too.
func toldCut(d *dialog.Dialog, line int) bool {
	for i := range d.Sections {
		if d.Line(i) > line {
			return d.Sections[i].Role == dialog.Note && d.Sections[i].Kind() == "conflict"
		}
	}
	return false
}

// A real process, killed at random moments while it streams and appends: every
// section it acknowledged is whole in the file, every piece it showed is there.
func TestKilled(t *testing.T) {
	testenv.Slow(t)
	if dir := os.Getenv("VIBEY_TEST_KILLED"); dir != "" {
		talk(t, dir)
		return
	}
	p := testProject(t)
	write(t, p.path(dialog.Filename(crashID, dialog.Waiting)), textOf(crashID, nil))
	sections, shown := 0, ""
	for round := range 20 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), "VIBEY_TEST_KILLED="+p.store.path)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		lines := bufio.NewScanner(out)
		for n := rand.IntN(60) + 5; lines.Scan(); n-- {
			if n == 0 { // what it had said before it died is still heard
				must(t, cmd.Process.Kill())
			}
			sections, shown = hear(lines.Text(), sections, shown)
		}
		cmd.Wait()
		d, err := p.ReadDialog(crashID)
		must(t, err)
		v := dialog.Parse(d.Text)
		if d.Status != dialog.Waiting {
			t.Fatalf("round %d: status %s", round, d.Status)
		}
		for _, problem := range v.Problems {
			if !toldCut(v, problem.Line) {
				t.Fatalf("round %d: %v", round, problem)
			}
		}
		if v.Count(dialog.Assistant) < sections {
			t.Fatalf("round %d: %d answers acknowledged, %d in the file", round, sections, v.Count(dialog.Assistant))
		}
		if !strings.Contains(d.Text, shown) {
			t.Fatalf("round %d: shown but not kept: %q", round, shown)
		}
		sections, shown = v.Count(dialog.Assistant), ""
	}
	if sections < 20 {
		t.Fatalf("only %d answers in 20 rounds", sections)
	}
}

// hear follows what the child tells: "+piece" shown, "=" acknowledged.
func hear(line string, sections int, shown string) (int, string) {
	if piece, ok := strings.CutPrefix(line, "+"); ok {
		return sections, shown + piece
	}
	if line == "=" {
		return sections + 1, ""
	}
	return sections, shown
}

// talk is the child: it answers without end.
func talk(t *testing.T, dir string) {
	s, err := Open(dir, Options{})
	must(t, err)
	p, err := s.Project("game")
	must(t, err)
	f, err := p.OpenDialog(crashID)
	must(t, err)
	must(t, f.SetStatus(dialog.Active))
	for n := len(f.Dialog().Sections); ; n++ {
		a := section(dialog.Assistant, n, "")
		o, err := f.OpenResponse()
		must(t, err)
		open := string(dialog.AppendSection(nil, &a))
		_, err = o.Write([]byte(strings.TrimSuffix(open, "\nəəə\n")))
		must(t, err)
		text := ""
		for i := range 10 {
			piece := fmt.Sprintf("piece %d of %d; ", i, n)
			_, err = o.Write([]byte(piece))
			must(t, err)
			fmt.Println("+" + piece)
			text += piece
		}
		a.Payloads[0].Text = text
		must(t, f.Append(a))
		fmt.Println("=")
		must(t, f.AppendResponse())
	}
}
