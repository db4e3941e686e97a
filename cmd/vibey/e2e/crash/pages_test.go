package main

import (
	"math/rand/v2"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/provider/providertest"
)

// Of a text of several pages every set of them can be lost, wherever they end,
// and no byte stands where it was not written.
func TestHolesOfPages(t *testing.T) {
	c := cutter{random: rand.New(rand.NewPCG(1, 2)), holed: 100_000}
	text := strings.Repeat("## Heading\n> Key: value\n\nəəətype\n"+strings.Repeat("text ", 100)+"\nəəə\n", 3)
	all := c.holes(text)
	first, middle, other := false, false, false
	for _, h := range all {
		if len(h) != len(text) || !holed(h) {
			t.Fatalf("%q is no text with a hole", h)
		}
		for i := range h {
			if h[i] != 0 && h[i] != text[i] {
				t.Fatalf("another text stands at %d of %q", i, h)
			}
		}
		lost := strings.IndexByte(h, 0)
		first = first || lost == 0
		middle = middle || lost > 0
		other = other || strings.Contains(strings.Trim(strings.TrimLeft(h[lost:], "\x00"), "\x00"), "\x00")
	}
	if !first || !middle || !other || len(all) < 300 {
		t.Errorf("of %d texts: the beginning lost %v, the middle %v, every other page %v", len(all), first, middle, other)
	}
	if c.holed = 7; len(c.holes(text)) != 7 {
		t.Error("more are taken than were asked for")
	}
}

// The controls of the lab see a model's text in the human's name.
func TestModelsTextInTheHumansName(t *testing.T) {
	const id = "20260216-201100-x"
	span := dialog.Span(testNow, testNow)
	file := &dialog.Dialog{Header: dialog.Header{DialogID: id, Provider: "openai", Model: "m", Status: dialog.Active}, Sections: []dialog.Section{
		{Role: dialog.User, ID: "u", Time: span, Payloads: []dialog.Payload{{Type: dialog.InputMarkdown, Text: "go"}}},
	}}
	before := dialog.Format(file)
	file.Sections = append(file.Sections, dialog.Section{Role: dialog.Assistant, ID: "a", Time: span, Payloads: []dialog.Payload{{Type: dialog.OutputMarkdown, Text: "I am no human."}}})
	text := dialog.Format(file)
	fence := strings.LastIndex(text, "\n\nəəəoutput")
	s := &state{truth: map[string]*dialog.Dialog{id: dialog.Parse(text)}, told: newTold()}
	name := "p/" + dialog.Filename(id, dialog.Active)
	s.tree = tree{name: before + zeros(fence-len(before)) + text[fence:]}
	if said := s.readOld(); len(said) != 1 || !strings.Contains(said[0], `the User "u"`) {
		t.Errorf("of lost pages the old reader is said to take %q", said)
	}
	s.tree = tree{name: text}
	if said := s.readOld(); len(said) != 0 {
		t.Errorf("of a whole file: %q", said)
	}
	v := &restarted{s: s, id: id}
	for _, text := range []string{"go", "go\n\nI am no human."} {
		v.broken = nil
		v.said([]providertest.Body{{Text: `{"input":[{"role":"user","content":[{"type":"input_text","text":"` + strings.ReplaceAll(text, "\n", `\n`) + `"}]}]}`}})
		if wrong := text != "go"; wrong != (len(v.broken) == 1) {
			t.Errorf("%q was sent: %q", text, v.broken)
		}
	}
}
