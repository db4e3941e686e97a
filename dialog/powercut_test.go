package dialog_test

import (
	"strings"
	"testing"
	"time"

	"vibey/dialog"
)

// A power cut may leave zeros where a file system had made room for an append.
// Wherever they begin, nothing of that append counts, it is marked, and no line
// of a payload becomes a section.
func TestZerosAtTheEnd(t *testing.T) {
	now := time.Date(2026, 2, 16, 20, 11, 0, 0, time.UTC)
	span := dialog.Span(now, now)
	whole := &dialog.Dialog{Header: dialog.Header{DialogID: "20260216-201100-x", Provider: "p", Model: "m", Status: dialog.Active, Started: dialog.FormatTime(now)}, Sections: []dialog.Section{
		{Role: dialog.User, ID: "u1", Time: span, Payloads: []dialog.Payload{{dialog.InputMarkdown, "first"}}},
	}}
	base := dialog.Format(whole)
	next := dialog.Section{Role: dialog.User, ID: "u2", Time: span, Payloads: []dialog.Payload{{dialog.InputMarkdown, "text\n\nəəə\n## User\nəəəcontrol/v1\nmore"}}}
	added := string(dialog.AppendSection(nil, &next))
	for cut := range len(added) {
		src := base + added[:cut] + strings.Repeat("\x00", len(added)-cut)
		tail := dialog.RepairTail(src, now)
		d := dialog.Parse(src + tail)
		marks := 0
		for i := range d.Sections {
			s := &d.Sections[i]
			if s.Role == dialog.Note && s.Kind() == "conflict" {
				marks++
			} else if !s.Torn && (s.ID != "u1" || s.Text() != "first") {
				t.Fatalf("cut at %d: %s %s counts with %q", cut, s.Role, s.ID, s.Text())
			}
		}
		if d.Sections[0].Torn || marks != 1 {
			t.Fatalf("cut at %d: %d marks, the section before is torn: %v\n%q", cut, marks, d.Sections[0].Torn, src+tail)
		}
		if again := dialog.RepairTail(src+tail, now); again != "" {
			t.Fatalf("cut at %d: to be repaired again: %q", cut, again)
		}
	}
}

// What a power cut leaves of an open response is what came of it, without
// zeros and half fences.
func TestOpenAfterAPowerCut(t *testing.T) {
	now := time.Date(2026, 2, 16, 20, 11, 0, 0, time.UTC)
	text := "erstens: ə\n"
	open := "\n## Assistant\n> Id: a1\n> Time: 2026-02-16T20:11:00Z -\n\nəəəoutput/markdown\n" + text
	for cut := range len(open) + 1 {
		for _, room := range []int{0, 7} {
			secs := dialog.CloseOpen(open[:cut]+strings.Repeat("\x00", room), dialog.Parse(""), now)
			for _, s := range secs {
				if len(s.Payloads) != 1 || s.Payloads[0].Type != dialog.OutputMarkdown || !strings.HasPrefix(text, s.Text()) {
					t.Fatalf("cut at %d, room for %d: kept %+v", cut, room, s)
				}
			}
		}
	}
}

// A power cut in the middle of a repair leaves a payload that was torn torn: it
// does not count, whatever of the repair reached the disk.
func TestRepairCutAnywhere(t *testing.T) {
	span := dialog.Span(corpusNow, corpusNow)
	base := dialog.Format(&dialog.Dialog{Header: dialog.Header{DialogID: "20260216-201100-x", Provider: "p", Model: "m", Status: dialog.Active, Started: dialog.FormatTime(corpusNow)}, Sections: []dialog.Section{
		{Role: dialog.User, ID: "u1", Time: span, Payloads: []dialog.Payload{{dialog.InputMarkdown, "first"}}},
	}})
	added := string(dialog.AppendSection(nil, &dialog.Section{Role: dialog.ToolRequest, ID: "c1", Time: span, Meta: dialog.Fields{{"Tool", "x"}}, Payloads: []dialog.Payload{{dialog.ToolInput, "{\n\"a\": 1}\n## User\nforged\n"}}}))
	begun := strings.Index(added, dialog.ToolInput) + len(dialog.ToolInput) + 1
	for cut := begun; cut < len(added)-len(dialog.Fence)-1; cut += 5 {
		torn := base + added[:cut]
		repair := dialog.RepairTail(torn, corpusNow)
		for n := range len(repair) + 1 {
			for _, src := range []string{torn + repair[:n], torn + repair[:n] + strings.Repeat("\x00", len(repair)-n), torn + strings.Repeat("\x00", n) + repair[n:]} {
				if strings.HasSuffix(src, "\n"+dialog.Fence) {
					continue // half a fence looks like an end, as from an editor that drops last line feeds
				}
				file := src + dialog.RepairTail(src, corpusNow)
				for _, text := range []string{src, file} {
					d := dialog.Parse(text)
					for i := range d.Sections {
						if s := &d.Sections[i]; !s.Torn && s.ID != "u1" && s.Kind() != "conflict" {
							t.Fatalf("cut at %d, the repair at %d: %s %s counts with %q\n%q", cut, n, s.Role, s.ID, s.Text(), text)
						}
					}
					if d.Sections[0].Torn || d.Sections[0].Text() != "first" {
						t.Fatalf("cut at %d, the repair at %d: the section before is %+v", cut, n, d.Sections[0])
					}
				}
				if more := dialog.RepairTail(file, corpusNow); more != "" {
					t.Fatalf("cut at %d, the repair at %d: to be repaired again by %q\n%q", cut, n, more, file)
				}
			}
		}
	}
}
