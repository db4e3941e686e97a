package provider

import "testing"

func TestKnown(t *testing.T) {
	for id, want := range map[string]Model{
		"claude-haiku-4-5-20251001": {ID: "claude-haiku-4-5-20251001", Window: 200_000, In: 1, Out: 5, AsOf: asOf, Sees: true},
		"gpt-6.1-sol-2026-09-29":    {ID: "gpt-6.1-sol-2026-09-29", Window: 1_050_000, In: 2, Out: 10, AsOf: asOf, Sees: true},
		"claude-opus-5":             {ID: "claude-opus-5", Window: 1_000_000, In: 5, Out: 25, AsOf: asOf, Sees: true},
		"claude-opus-5-5":           {ID: "claude-opus-5-5", Window: 1_000_000, In: 4, Out: 20, AsOf: asOf, Sees: true},
		"gpt-5-mini":                {ID: "gpt-5-mini", Sees: true},
		"gpt-5-chat-latest":         {ID: "gpt-5-chat-latest", Sees: true},
		"llama3":                    {ID: "llama3"},
		"":                          {},
	} {
		if got := Known(id); got != want {
			t.Errorf("%q: %+v, want %+v", id, got, want)
		}
	}
}

func TestSameModel(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"a", "a"}: true, {"gpt-5", "gpt-5-2026-09-29"}: true, {"x-latest", "x"}: true, {"llama3:latest", "llama3"}: true,
		{"gpt-5", "gpt-5-mini"}: false, {"gpt-5", "gpt-5.1"}: false, {"llama3:8b", "llama3"}: false, {"a", ""}: false,
	} {
		if SameModel(pair[0], pair[1]) != want || SameModel(pair[1], pair[0]) != want {
			t.Errorf("%q: want %v", pair, want)
		}
	}
}
