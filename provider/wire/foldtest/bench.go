package foldtest

import (
	"fmt"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/provider"
	"vibey/provider/providertest"
)

// Tokens measures what one token of a stream costs, from the transport to the
// caller. token is one event; head and tail are what stands around them.
func Tokens(b *testing.B, makes func(provider.Config) provider.Provider, head, token, tail string) {
	const n = 10_000
	c := &providertest.Canned{Answers: []providertest.Answer{{Body: head + strings.Repeat(token, n) + tail}}}
	p := makes(provider.Config{Name: "b", BaseURL: "http://b.example/v1", Client: c.Client()})
	b.ReportAllocs()
	for b.Loop() {
		texts := 0
		for e, err := range p.Stream(b.Context(), providertest.Question()) {
			if err != nil {
				b.Fatal(err)
			}
			if _, ok := e.(provider.Text); ok {
				texts++
			}
		}
		if texts != n {
			b.Fatalf("%d texts", texts)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/token")
}

// Rounds measures what it costs to make the request of round 10 and of round
// 1,000: one more response and its result behind a history with a memo.
func Rounds(b *testing.B, lay func(*provider.Request) int64) {
	for _, rounds := range []int{10, 1000} {
		b.Run(fmt.Sprint(rounds), func(b *testing.B) {
			h := dialog.History{System: strings.Repeat("rule ", 800), Tools: providertest.Question().History.Tools}
			h.Items = append(make([]dialog.Item, 0, 1<<16), dialog.Item{Kind: dialog.UserText, Text: "Go."})
			grow := func(i int) {
				id := fmt.Sprintf("call_%d", i)
				h.Items = append(h.Items,
					dialog.Item{Kind: dialog.AssistantText, Text: "I write the next file now, as planned."},
					dialog.Item{Kind: dialog.CallItem, CallID: id, Tool: "write_file", Args: `{"path":"deed/a","content":"` + strings.Repeat("x", 500) + `"}`})
				h.Stable = len(h.Items)
				h.Items = append(h.Items, dialog.Item{Kind: dialog.ResultItem, CallID: id, Text: `{"success":true,"sha256":"` + strings.Repeat("0", 64) + `"}`})
			}
			for i := range rounds {
				grow(i)
			}
			memo := &provider.Memo{}
			lay(request(h, memo))
			full, at := h.Items, len(h.Items)
			grow(rounds)
			after := h
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				m := &provider.Memo{}
				before := h
				before.Items, before.Stable = full[:at], at-1
				lay(request(before, m))
				b.StartTimer()
				lay(request(after, m))
			}
		})
	}
}
