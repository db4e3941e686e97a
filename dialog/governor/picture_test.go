package governor

import (
	"testing"

	"vibey/dialog"
	"vibey/dialog/picture"
)

// A picture fills a window though its file's text is short; a program's message has none.
func TestFullByPictures(t *testing.T) {
	sha := dialog.SHA256("x")
	var uses []picture.Use
	for range 10 {
		uses = append(uses, picture.Use{Path: "files/" + picture.FileName(sha, "x"), SHA256: sha, State: picture.Sent})
	}
	for by, want := range map[string]bool{"human": true, "mcp": false} {
		d := dialog.Parse("# Dialog\n> Provider: p\n> Model: m\n")
		d.Append(dialog.Section{Role: dialog.User, ID: "u", Meta: dialog.Fields{{Key: "By", Value: by}, {Key: picture.Field, Value: picture.Format(uses)}}, Payloads: []dialog.Payload{{Type: dialog.InputMarkdown, Text: picture.Link("it", uses[0].Path)}}})
		if got := Full(d, 10*picture.Tokens*100/fullAt); got != want {
			t.Errorf("%s: full is %v", by, got)
		}
	}
}
