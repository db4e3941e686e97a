package anthropic

import (
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/provider"
)

// Of an answer without end the parser passes on all and keeps no more than a dialog does;
// a call whose arguments have no end is an error.
func TestEndlessAnswer(t *testing.T) {
	mib := strings.Repeat("x", 1<<20)
	p := newParser(nil, nil)
	passed := 0
	feed := func(data string) error {
		out, _, err := p.Next([]byte(data), nil)
		for _, e := range out {
			switch e := e.(type) {
			case provider.Text:
				passed += len(e.Piece)
			case provider.Thinking:
				passed += len(e.Piece)
			}
		}
		return err
	}
	for _, kind := range []struct{ begin, piece string }{
		{`{"type":"content_block_start","index":0,"content_block":{"type":"thinking"}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"*"}}`},
	} {
		passed = 0
		if kind.begin != "" {
			feed(kind.begin)
		}
		for range 20 {
			if err := feed(strings.ReplaceAll(kind.piece, "*", mib)); err != nil {
				t.Fatal(err)
			}
		}
		if passed != 20<<20 {
			t.Errorf("%d bytes were passed on", passed)
		}
	}
	for _, kept := range [][]byte{p.buf} {
		if len(kept) != dialog.SectionMost+1 {
			t.Errorf("%d bytes are kept", len(kept))
		}
	}
	var err error
	p = newParser(nil, nil)
	feed(`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"a","name":"f"}}`)
	for n := 0; n < 70 && err == nil; n++ {
		err = feed(strings.ReplaceAll(`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"*"}}`, "*", mib))
	}
	if err == nil {
		t.Error("arguments of 70 MiB are gathered")
	}
}
