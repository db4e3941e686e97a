package server

import (
	"encoding/base64"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/dialog/picture"
	"vibey/provider"
	"vibey/provider/anthropic"
	"vibey/provider/providertest"
	"vibey/provider/responses"
	"vibey/provider/texttag"
)

// A picture of a message reaches the model in the form of each API, from the bytes that the
// message's section names; the request that is explained has it too. Of a model that does
// not see, a line.
func TestPicturesGoOut(t *testing.T) {
	encoded := base64.StdEncoding.EncodeToString([]byte(onePNG))
	url := `"data:image/png;base64,` + encoded + `"`
	for api, want := range map[string]string{
		"messages":  `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + encoded + `"}`,
		"responses": `{"type":"input_image","detail":"auto","image_url":` + url + `}`,
		"chat":      `{"type":"image_url","image_url":{"url":` + url + `}}`,
		"tags":      `{"type":"image_url","image_url":{"url":` + url + `}}`,
	} {
		for _, sees := range []bool{true, false} {
			s := newShop(t)
			s.mock.Play(providertest.Script{Models: []string{"m"}, Replies: []providertest.Reply{{Text: "I see."}, {Text: "Still."}}})
			model := httptest.NewServer(s.mock)
			defer model.Close()
			c := provider.Config{Name: "x", BaseURL: model.URL + "/v1", Sees: func(string) bool { return sees }}
			p := map[string]provider.Provider{"messages": anthropic.New(c), "responses": responses.New(c), "chat": texttag.NewInstead(c), "tags": texttag.New(c)}[api]
			s.open(offered{"x": p})
			s.serve()
			_, a := s.attach("dot.png", onePNG)
			prompt, _ := json.Marshal("What is this? " + picture.Link("it", a.Path))
			frames := s.dialog("POST", `{"provider":"x","model":"m","slug":"see","prompt":`+string(prompt)+`}`)
			id := frames[0].DialogID
			for range 2 {
				bodies := s.mock.Bodies()
				last := bodies[len(bodies)-1]
				if last.Fault != "" || strings.Contains(last.Text, want) != sees {
					t.Errorf("%s, sees %v: %s\n%s", api, sees, last.Fault, last.Text)
				}
				s.dialog("PUT", `{"dialogId":"`+id+`","prompt":"And now?"}`)
			}
			file, _ := filepath.Glob(filepath.Join(s.root, "p/dialog-*-see-*.md"))
			b, err := os.ReadFile(file[0])
			state := map[bool]string{true: "sent", false: "unseen"}[sees]
			if header := "\n> Pictures: " + a.Path + " sha256:" + a.SHA256 + " " + state + "\n"; err != nil || !strings.Contains(string(b), header) {
				t.Errorf("%s: no %q in\n%s", api, header, b)
			}
			project, _ := s.store.Project("p")
			x, err := s.runner.Explain(project, id)
			if err != nil || strings.Contains(string(x.Body), want) != sees {
				t.Errorf("%s, sees %v: explained: %v\n%s", api, sees, err, x.Body)
			}
		}
	}
}
