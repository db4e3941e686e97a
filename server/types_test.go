package server

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/dialog/effect"
	"vibey/dialog/grant"
	"vibey/dialog/history"
	"vibey/dialog/why"
	"vibey/provider"
	"vibey/server/hub"
	"vibey/server/markdown"
	"vibey/server/project"
	"vibey/server/turn"
	"vibey/server/view"
)

// shared are the types that the window and the server have in common: the
// window's name of each, the Go struct that is sent or read, and the fields
// that the window adds for itself or does not send.
var shared = []struct {
	name string
	of   any
	own  string
}{
	{"Resources", dialog.Resources{}, ""},
	{"Payload", dialog.Payload{}, ""},
	{"Section", section{}, ""},
	{"Call", hub.Pending{}, ""},
	{"ServerTool", hub.ServerTool{}, ""},
	{"DialogInfo", dialogItem{}, "provider model since"},
	{"Tokens", tokens{}, ""},
	{"Cost", cost{}, ""},
	{"ProjectNeeds", projectNeeds{}, ""},
	{"Titled", project.Titled{}, ""},
	{"DialogView", dialogView{}, ""},
	{"Governor", view.Standing{}, ""},
	{"Budget", view.Standing{}.Budget, ""},
	{"Ledger", view.Ledger{}, ""},
	{"LedgerFile", view.LedgerFile{}, ""},
	{"Cover", view.Cover{}, ""},
	{"ProjectRules", rulesView{}, ""},
	{"Rule", ruleView{}, ""},
	{"LineProblem", dialog.LineProblem{}, ""},
	{"Wish", wishView{}, ""},
	{"WishLine", wishLine{}, ""},
	{"NewDialog", draft{}, ""},
	{"Start", startBody{}, ""},
	{"Change", changeBody{}, ""},
	{"Passage", turn.Place{}, ""},
	{"Changed", dialogState{}, ""},
	{"Model", provider.Model{}, ""},
	{"Provider", providerModels{}, ""},
	{"Health", Health{}, ""},
	{"Welcome", Welcome{}, ""},
	{"FileHash", change.FileHash{}, ""},
	{"Undone", undone{}, ""},
	{"UndoneItem", undoneItem{}, ""},
	{"RefusedFile", change.RefusedFile{}, ""},
	{"UndoRequest", undoBody{}, ""},
	{"HunkLines", hunkBody{}, ""},
	{"ForkOrigin", forkOrigin{}, ""},
	{"CallChange", turn.CallChange{}, ""},
	{"ChangeHunk", turn.ChangeHunk{}, ""},
	{"Problem", problemDetails{}, ""},
	{"RequestedCall", requestedCall{}, ""},
	{"FileTarget", grant.Target{}, ""},
	{"Conflict", grant.Conflict{}, ""},
	{"Tried", hub.Effect{}, ""},
	{"ProjectChange", projectChange{}, ""},
	{"TargetFile", targetFile{}, ""},
	{"DeedFile", deedFile{}, ""},
	{"PreviewAddress", previewAddress{}, ""},
	{"SearchAnswer", searchAnswer{}, ""},
	{"SearchResult", project.SearchResult{}, ""},
	{"UnlistedText", unlistedText{}, ""},
	{"DocHistory", docHistory{}, ""},
	{"DocVersion", docVersion{}, ""},
	{"DocLines", docLines{}, ""},
	{"AllowedBy", why.Allowed{}, ""},
}

// The window's types are written by hand, for their words; that they are the
// server's is checked here.
func TestWindowsTypesAreTheServers(t *testing.T) {
	b, err := os.ReadFile("../client/src/types.ts")
	if err != nil {
		t.Fatal(err)
	}
	interfaces := map[string]string{}
	for _, m := range regexp.MustCompile(`(?s)export interface (\w+) \{\n(.*?)\n\}`).FindAllStringSubmatch(string(b), -1) {
		interfaces[m[1]] = m[2]
	}
	for _, s := range shared {
		text, ok := interfaces[s.name]
		if !ok {
			t.Errorf("types.ts has no interface %s", s.name)
			continue
		}
		fields := map[string]jsonField{}
		for _, f := range jsonFields(reflect.TypeOf(s.of)) {
			fields[f.name] = f
		}
		lines := regexp.MustCompile(`(?m)^  (\w+)(\??): (.+);$`).FindAllStringSubmatch(text, -1)
		if len(lines) == 0 {
			t.Errorf("%s: no fields were read", s.name)
		}
		for _, m := range lines {
			name, optional, typ := m[1], m[2] == "?", m[3]
			f, ok := fields[name]
			switch {
			case strings.Contains(" "+s.own+" ", " "+name+" "):
				if ok || !optional {
					t.Errorf("%s.%s is said to be the window's own", s.name, name)
				}
			case !ok:
				t.Errorf("%s.%s: the server has no such field", s.name, name)
			case f.optional && !optional:
				t.Errorf("%s.%s may be missing", s.name, name)
			case !fits(f.typ, typ):
				t.Errorf("%s.%s is %s there and %s here", s.name, name, typ, f.typ)
			}
		}
	}
}

// fits tells whether a TypeScript type takes what a Go type is in JSON.
func fits(t reflect.Type, ts string) bool {
	ts = strings.TrimSuffix(ts, " | null")
	switch t {
	case reflect.TypeFor[effect.Change](): // it writes itself
		return ts == "FileChange"
	case reflect.TypeFor[history.RawJSON]():
		return ts == "unknown"
	case reflect.TypeFor[turn.Prompt]():
		return ts == "string" || strings.HasPrefix(ts, "string | ")
	}
	switch t.Kind() {
	case reflect.Pointer:
		return fits(t.Elem(), ts)
	case reflect.String:
		return ts == "string" || ts == "Status" || ts == "Needs" || ts == "Role" || strings.HasPrefix(ts, `"`)
	case reflect.Bool:
		return ts == "boolean"
	case reflect.Int, reflect.Int64, reflect.Float64:
		return ts == "number"
	case reflect.Slice:
		inner, ok := strings.CutSuffix(ts, "[]")
		return ok && fits(t.Elem(), inner)
	case reflect.Map:
		return ts == "Record<string, string>"
	case reflect.Struct:
		for _, s := range shared {
			if reflect.TypeOf(s.of) == t {
				return ts == s.name
			}
		}
	}
	return false
}

// Each frame that the window knows holds what the window counts on.
func TestWindowsFramesAreTheServers(t *testing.T) {
	b, err := os.ReadFile("../client/src/types.ts")
	if err != nil {
		t.Fatal(err)
	}
	sent := map[string]hub.Event{
		"section":      {Type: hub.SectionEvent, DialogID: "d", Section: &dialog.Section{Role: dialog.User}},
		"chunk":        {Type: hub.ChunkEvent, Content: "x"},
		"tool_request": {Type: hub.ToolEvent, Calls: []hub.Pending{{ID: "c"}}},
		"done":         {Type: hub.DoneEvent},
		"error":        {Type: hub.ErrorEvent},
		"note":         {Type: hub.NoteEvent},
		"reset":        {Type: hub.ResetEvent},
		"budget":       {Type: hub.BudgetEvent, Data: view.Standing{}.Budget},
		"phase":        {Type: hub.PhaseEvent, Data: map[string]string{"phase": "recon", "label": "Looking around"}},
	}
	s := &server{html: markdown.New(nil).HTML}
	known := regexp.MustCompile(`(?m)^  \| \{ type: "(\w+)"(.*?)\}`).FindAllStringSubmatch(string(b), -1)
	for _, m := range known {
		e, ok := sent[m[1]]
		if !ok {
			continue // of a later version of the server
		}
		delete(sent, m[1])
		text := string(s.appendFrame(nil, &e))
		for _, f := range regexp.MustCompile(`(\w+): `).FindAllStringSubmatch(m[2], -1) {
			if !strings.Contains(text, `"`+f[1]+`":`) {
				t.Errorf("%s has no %s: %s", m[1], f[1], text)
			}
		}
	}
	for typ := range sent {
		t.Errorf("the window does not know the frame %s", typ)
	}
}

// jsonField is one member of a struct in JSON.
type jsonField struct {
	name     string
	typ      reflect.Type
	optional bool
}

// jsonFields returns a struct's members, those of embedded structs among them.
func jsonFields(t reflect.Type) []jsonField {
	var out []jsonField
	for i := range t.NumField() {
		f := t.Field(i)
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && tag == "":
			out = append(out, jsonFields(f.Type)...)
		case tag != "" && tag != "-":
			out = append(out, jsonField{tag, f.Type, strings.Contains(options, "omitempty")})
		}
	}
	return out
}
