package why

import (
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"vibey/dialog"
)

var random = flag.Int("random", 150, "how many random histories TestRandom reads")

// Of humans' saves, calls, commands, moves, undos and what other programs do, no line is
// ever said to be another's, and nearly all are said to be somebody's. In every second
// history some lines are twins, which often can't be told apart.
func TestRandom(t *testing.T) {
	var right, all [2]int
	for seed := range *random {
		twins := seed % 2
		w := newWorld(rand.New(rand.NewPCG(1, uint64(seed))))
		w.twins = twins == 1
		w.live(60)
		for path, want := range w.files {
			h := Of(w.source(path))
			if len(h.Lines) != len(want) {
				t.Fatalf("seed %d: %s has %d lines, and %d are told", seed, path, len(want), len(h.Lines))
			}
			for j, line := range want {
				all[twins]++
				switch got := said(h, j); got {
				case line.by:
					right[twins]++
				case Nothing:
				default:
					t.Errorf("seed %d: %s:%d %q: %s, and it is %s", seed, path, j+1, line.text, got, line.by)
				}
			}
		}
	}
	for twins, least := range []int{99, 93} {
		if right[twins]*100 < all[twins]*least {
			t.Errorf("with twins %d: of %d lines only %d are right", twins, all[twins], right[twins])
		}
	}
	t.Logf("of %v lines %v are right, without and with twins", all, right)
}

// The same holds where each dialog is there a second time, as a fork of it and as a copy, and
// where the key is another's: then nothing of a call is believed.
func TestRandomCopies(t *testing.T) {
	for seed := range *random / 4 {
		w := newWorld(rand.New(rand.NewPCG(2, uint64(seed))))
		w.live(60)
		for path, want := range w.files {
			src := w.source(path)
			plain := Of(src)
			for _, d := range src.Dialogs {
				text := dialog.Format(d.D)
				src.Dialogs = append(src.Dialogs, Dialog{"20260216-195900-copy-of-" + d.ID[:8], dialog.Parse(text)})
				fork := "20260216-195900-" + d.ID
				text = strings.Replace(text, "> DialogId: "+d.ID, "> DialogId: "+fork, 1)
				text = strings.Replace(text, "\n\n", "\n> From: "+d.ID+" at msg_1\n\n", 1)
				src.Dialogs = append(src.Dialogs, Dialog{fork, dialog.Parse(text)})
			}
			if got := Of(src); !slices.Equal(got.Lines, plain.Lines) {
				t.Errorf("seed %d: %s: %v with copies, %v without", seed, path, got.Lines, plain.Lines)
			}
			src.Authority.Key = nil // Macs are not judged
			if got := Of(src); !slices.Equal(got.Lines, plain.Lines) {
				t.Errorf("seed %d: %s: without the key %v with copies, %v without", seed, path, got.Lines, plain.Lines)
			}
			src.Authority.Key = []byte("another")
			other := Of(src)
			for j := range want {
				if v := other.Lines[j]; v != Unknown && other.Versions[v].Who() == Agent {
					t.Errorf("seed %d: %s:%d: a call is believed that another key allowed", seed, path, j+1)
				}
			}
		}
	}
}
