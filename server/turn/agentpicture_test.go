package turn

import (
	"encoding/base64"
	"os"
	"strings"
	"testing"

	"vibey/dialog"
)

// An agent whose prompts may have pictures gets the bytes of a message's, behind the line that
// names them; any other gets a line alone, and a Note says so for good.
func TestAgentPictures(t *testing.T) {
	for caps, sees := range map[string]bool{`{"promptCapabilities":{"image":true}}`: true, `{"promptCapabilities":{"image":false}}`: false, `{}`: false} {
		a := newAgentWorld(t, "caps "+caps+"\n"+strings.Repeat("prompt\nupdate {\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"Seen.\"}}\n", 4))
		b := drawn(2, 2, 1)
		path, link := a.attach("a.png", b)
		id, _ := a.ask("What is this? " + link)
		block := `{"type":"image","data":"` + base64.StdEncoding.EncodeToString(b) + `","mimeType":"image/png"}`
		line := `{"type":"text","text":"[PICTURE] ` + path + `:"}`
		if got := strings.Contains(a.came(), line+","+block); got != sees {
			t.Errorf("%s: it got the picture: %v\n%s", caps, got, a.came())
		}
		if got := strings.Contains(a.came(), "[PICTURE] "+path+" is not shown here: this model"); got == sees {
			t.Errorf("%s: it got a line: %v", caps, got)
		}
		got := uses(a.view(id).Dialog, dialog.Note)
		if sees && len(got) != 0 || !sees && (len(got) != 1 || got[0].State != "unseen" || got[0].Path != path) {
			t.Errorf("%s: the Note says %v", caps, got)
		}
		if got := uses(a.view(id).Dialog, dialog.User); len(got) != 1 || got[0].State != "sent" {
			t.Errorf("%s: the message says %v", caps, got)
		}
		// While it runs it is known whether it sees.
		a.put(Input{DialogID: id, Prompt: &Prompt{Text: "Again: " + link}})
		again := uses(a.view(id).Dialog, dialog.User)
		if want := map[bool]string{true: "sent", false: "unseen"}[sees]; len(again) != 1 || again[0].State != want {
			t.Errorf("%s: the second message says %v", caps, again)
		}
		if n := strings.Count(a.came(), `"type":"image"`); sees && n != 2 || !sees && n != 0 {
			t.Errorf("%s: %d pictures in all", caps, n)
		}
		// Each is sent once: an agent keeps what it was shown, also when the file is gone.
		if err := os.Remove(a.at(path)); err != nil {
			t.Fatal(err)
		}
		a.put(Input{DialogID: id, Prompt: &Prompt{Text: "Go on."}})
		if n := strings.Count(a.came(), `"type":"image"`); n > 2 || strings.Count(a.view(id).Text, "> Kind: picture") != len(got) {
			t.Errorf("%s: %d pictures in all\n%s", caps, n, a.view(id).Text)
		}
	}
}
