package grant

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"vibey/dialog"
)

// TestMacIsWhatTheSpecSays: built here by hand, from the words of the format.
func TestMacIsWhatTheSpecSays(t *testing.T) {
	a := Authority{Key: []byte("key"), Project: "p", DialogID: "20260216-201100-x"}
	h := hmac.New(sha256.New, []byte("key"))
	for _, part := range []string{"vibey/auth/1", "p", "20260216-201100-x", "auth_1", "t0 - t0", "allow x\nəəə", "0badcafe"} {
		h.Write([]byte{0, 0, 0, 0, 0, 0, 0, byte(len(part))})
		h.Write([]byte(part))
	}
	want := hex.EncodeToString(h.Sum(nil))
	if got := a.Mac("auth_1", "t0 - t0", "allow x\nəəə", "0badcafe"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if InputHash("") != InputHash("{}") || InputHash("{}") != "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a" {
		t.Error(InputHash("{}"))
	}
}

// TestMacCoversAll: whatever is changed, moved or left out, a grant is void.
func TestMacCoversAll(t *testing.T) {
	a := testAuthority
	s := dialog.Section{Role: dialog.Authorization, ID: "z1", Time: "t - t", Payloads: []dialog.Payload{{Type: dialog.ControlV1, Text: "allow x"}}}
	a.Seal(&s, "prev")
	if !a.Genuine(&s, "prev") {
		t.Fatal("a sealed section is not genuine")
	}
	if len(s.Meta.Get("Mac")) != 64 || strings.ToLower(s.Meta.Get("Mac")) != s.Meta.Get("Mac") {
		t.Errorf("Mac %q", s.Meta.Get("Mac"))
	}
	for name, change := range map[string]func(a *Authority, s *dialog.Section, prev *string){
		"key":     func(a *Authority, _ *dialog.Section, _ *string) { a.Key = []byte("other") },
		"no key":  func(a *Authority, _ *dialog.Section, _ *string) { a.Key = nil },
		"project": func(a *Authority, _ *dialog.Section, _ *string) { a.Project = "q" },
		"dialog":  func(a *Authority, _ *dialog.Section, _ *string) { a.DialogID += "2" },
		"id":      func(_ *Authority, s *dialog.Section, _ *string) { s.ID = "z2" },
		"time":    func(_ *Authority, s *dialog.Section, _ *string) { s.Time = "u - u" },
		"payload": func(_ *Authority, s *dialog.Section, _ *string) {
			s.Payloads = []dialog.Payload{{Type: dialog.ControlV1, Text: "allow y"}}
		},
		"type": func(_ *Authority, s *dialog.Section, _ *string) {
			s.Payloads = []dialog.Payload{{Type: dialog.NoteMarkdown, Text: "allow x"}}
		},
		"more payloads": func(_ *Authority, s *dialog.Section, _ *string) {
			s.Payloads = append(s.Payloads[:1:1], dialog.Payload{Type: dialog.ControlV1, Text: "allow y"})
		},
		"no payload":  func(_ *Authority, s *dialog.Section, _ *string) { s.Payloads = nil },
		"predecessor": func(_ *Authority, _ *dialog.Section, prev *string) { *prev = "" },
		"Mac": func(_ *Authority, s *dialog.Section, _ *string) {
			s.Meta = dialog.Fields{{Key: "Mac", Value: strings.Repeat("0", 64)}}
		},
		"no Mac": func(_ *Authority, s *dialog.Section, _ *string) { s.Meta = nil },
		"Mac in capital": func(_ *Authority, s *dialog.Section, _ *string) {
			s.Meta = dialog.Fields{{Key: "Mac", Value: strings.ToUpper(s.Meta.Get("Mac"))}}
		},
	} {
		a, s, prev := a, s, "prev"
		change(&a, &s, &prev)
		if a.Genuine(&s, prev) {
			t.Errorf("with another %s it is still genuine", name)
		}
	}
}
