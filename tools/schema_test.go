package tools

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"vibey/dialog"
)

func TestCheck(t *testing.T) {
	set := NewSet()
	for _, c := range []struct{ tool, args, want string }{ // want: "" where it may be asked
		{"run_command", `{"command":"ls"}`, ""},
		{"run_command", ` {"command" : "ls", "description":"Look"} ` + "\n", ""},
		{"run_command", `{"command":"ls","description":null}`, ""},
		{"run_command", `{"command":"\ud83d\ude00 \\ud800"}`, ""},
		{"write_file", `{"path":"deed/x","content":""}`, ""},
		{"edit_file", `{"path":"deed/x","old_string":"a","new_string":""}`, ""},
		{"launch_agent", `{"provider":"p","model":"","prompt":"go"}`, ""},
		{"launch_agent", `{"provider":"p","model":"m","prompt":"go","slug":"s","description":"d"}`, ""},

		{"run_command", ``, `"command" is missing; the properties are command, description?`},
		{"run_command", `{}`, `"command" is missing`},
		{"run_command", `null`, "it begins with something else"},
		{"run_command", `[]`, "it begins with something else"},
		{"run_command", `"ls"`, "it begins with something else"},
		{"run_command", `[{"command":"ls"}]`, "it begins with something else"},
		{"run_command", `ls -l`, "not one JSON object"},
		{"run_command", `{"command":"ls"`, "it ends too early"},
		{"run_command", `{"command":"ls`, "it ends too early"},
		{"run_command", `{"command"`, "not one JSON object"},
		{"run_command", `{"command":`, "it ends too early"},
		{"run_command", `{`, "it ends too early"},
		{"run_command", `{"command":"ls",}`, "not one JSON object"},
		{"run_command", `{'command':'ls'}`, "not one JSON object"},
		{"run_command", `{command:"ls"}`, "not one JSON object"},
		{"run_command", `{"command":"ls"}{"command":"rm"}`, "something follows the object"},
		{"run_command", `{"command":"ls"} x`, "something follows the object"},
		{"run_command", `{"command":"ls","command":"rm -r ."}`, `"command" stands there twice`},
		{"run_command", `{"command":"ls","comm\u0061nd":"rm -r ."}`, `"command" stands there twice`},
		{"run_command", `{"Command":"ls"}`, `there is no property "Command"`},
		{"run_command", `{"command":"ls","COMMAND":"rm"}`, `there is no property "COMMAND"`},
		{"run_command", `{"command":"ls","timeout":60}`, `there is no property "timeout"`},
		{"run_command", `{"command":"ls","":""}`, `there is no property ""`},
		{"run_command", `{"command":7}`, `"command" must be a string`},
		{"run_command", `{"command":null}`, `"command" must be a string`},
		{"run_command", `{"command":["ls"]}`, `"command" must be a string`},
		{"run_command", `{"command":{"a":1}}`, `"command" must be a string`},
		{"run_command", `{"command":true}`, `"command" must be a string`},
		{"run_command", `{"command":""}`, `"command" must not be empty`},
		{"run_command", `{"command":"ls","description":7}`, `"description" must be a string`},
		{"run_command", `{"command":"\ud800"}`, "half of a \\u surrogate pair"},
		{"run_command", `{"command":"\udc00x"}`, "half of a \\u surrogate pair"},
		{"run_command", `{"command":"\ud800\ud800"}`, "half of a \\u surrogate pair"},
		{"run_command", `{"command":"\uD83Dx\ude00"}`, "half of a \\u surrogate pair"},
		{"run_command", "{\"command\":\"\xff\"}", "not UTF-8"},
		{"run_command", "\xef\xbb\xbf{\"command\":\"ls\"}", "not one JSON object"},
		{"write_file", `{"content":"x"}`, `"path" is missing`},
		{"write_file", `{"path":"deed/x"}`, `"content" is missing`},
		{"write_file", `{"path":"","content":""}`, `"path" must not be empty`},
		{"edit_file", `{"path":"deed/x","old_string":"","new_string":"x"}`, `"old_string" must not be empty`},
		{"edit_file", `{"path":"deed/x","old_string":"x"}`, `"new_string" is missing`},
		{"launch_agent", `{"provider":"p","prompt":"go"}`, `"model" is missing`},
		{"launch_agent", `{"provider":"p","model":"m","prompt":""}`, `"prompt" must not be empty`},
		{"start_server", `{"command":"x","port":1}`, ""},
		{"start_server", `{"command":"x","port":65535}`, ""},
		{"start_server", `{"command":"x","port":99999}`, `"port" must be at most 65535`},
		{"start_server", `{"command":"x","port":0}`, `"port" must be at least 1`},
		{"start_server", `{"command":"x","port":-8080}`, `"port" must be at least 1`},
		{"start_server", `{"command":"x","port":8080.5}`, `"port" must be a whole number`},
		{"start_server", `{"command":"x","port":99999999999999999999}`, `"port" must be a whole number`},
		{"start_server", `{"command":"x","port":"8080"}`, `"port" must be a whole number`},
		{"read_file", `{"path":"deed/x","from":1,"lines":2}`, ""},
		{"read_file", `{"from":1}`, `"path" is missing; the properties are path, from?, lines?, description?`},
		{"read_file", `{"path":"deed/x","from":-1}`, `"from" must be at least 1`},
		{"read_file", `{"path":"deed/x","lines":"2"}`, `"lines" must be a whole number`},
		{"plan_get", `{}`, ""},
		{"plan_decision_log", `{"kind":"task","title":"t","choice":"c","why":""}`, ""},
		{"plan_decision_log", `{"kind":"plan","title":"t","choice":"c","why":""}`, `"kind" must be one of decision, task, idea`},
		{"plan_decision_log", `{"kind":"task","title":"t","choice":"c"}`, `"why" is missing; the properties are kind, title, choice, why, words?, description?`},
		{"browser_console", `{"url":"http://127.0.0.1:1/"}`, ""},
		{"request_visual_qa", `{"url":"http://127.0.0.1:1/"}`, `"question" is missing`},
		{"list_files", ``, ""},
		{"list_files", `{"path":null,"depth":2}`, ""},
		{"list_files", `{"depth":65}`, `"depth" must be at most 64`},
		{"search_files", `{"query":"x","path":"deed","regexp":true}`, ""},
		{"search_files", `{}`, `"query" is missing`},
		{"search_files", `{"query":"x","regexp":1}`, `"regexp" must be true or false`},
		{"server_logs", `{"port":70000}`, `"port" must be at most 65535`},
	} {
		set := set
		if _, always := set.Lookup(c.tool); !always {
			set = NewSet(AllSets()...)
		}
		f := set.Check(c.tool, c.args)
		if c.want == "" {
			if f != nil {
				t.Errorf("%s %s: %s", c.tool, c.args, f.Error)
			}
			continue
		}
		if f == nil || f.Kind != Schema || !strings.Contains(f.Error, c.want) {
			t.Errorf("%s %s: want %q, got %+v", c.tool, c.args, c.want, f)
			continue
		}
		if m := fieldsOfResult(t, f.Result()); len(m) != 2 {
			t.Errorf("a failure shows more than its words: %v", m)
		}
		w := set.Call(t.Context(), Env{}, c.tool, c.args)
		if w.Success || w.Failure != Schema {
			t.Errorf("%s %s: Call let it through: %s", c.tool, c.args, w.JSON)
		}
	}
}

func TestCheckQuotesWhatCame(t *testing.T) {
	f := NewSet().Check("run_command", `{"cmd":"ls -la"}`)
	if !strings.HasSuffix(f.Error, `Received: {"cmd":"ls -la"}`) {
		t.Error(f.Error)
	}
	f = NewSet().Check("run_command", `{"cmd":"`+strings.Repeat("ä", 1_000_000)+`"}`)
	if len(f.Error) > 2000 || !strings.Contains(f.Error, "bytes more)") {
		t.Errorf("%d bytes: %.200s", len(f.Error), f.Error)
	}
	f = NewSet().Check("run_command", "\xff\xfe")
	if !utf8.ValidString(f.Error) {
		t.Errorf("%q", f.Error)
	}
}

func TestUnknownTool(t *testing.T) {
	for _, name := range []string{"", "Run_Command", "run_command ", "bash", strings.Repeat("x", 10_000)} {
		f := NewSet().Check(name, `{"command":"ls"}`)
		if f == nil || f.Kind != NotFound || !strings.Contains(f.Error, "run_command, write_file, edit_file, launch_agent") || len(f.Error) > 400 {
			t.Errorf("%.20q: %+v", name, f)
		}
	}
	if r := NewSet().Call(t.Context(), Env{}, "bash", `{}`); r.Failure != NotFound || r.Success {
		t.Error(r.JSON)
	}
}

func TestSpecs(t *testing.T) {
	want := []string{"run_command", "write_file", "edit_file", "launch_agent"}
	first, _ := json.Marshal(NewSet().Specs())
	again, _ := json.Marshal(NewSet("nonsense").Specs())
	if string(first) != string(again) {
		t.Error("the bytes differ from set to set")
	}
	if len(first) > 4<<10 {
		t.Errorf("the tools take %d bytes of each first request", len(first))
	}
	for i, s := range NewSet().Specs() {
		if s.Name != want[i] {
			t.Errorf("tool %d is %s", i, s.Name)
		}
		tool, ok := NewSet().Lookup(s.Name)
		if !ok || !tool.Asks || tool.Class != dialog.Mutate || tool.Description != s.Description || len(s.Description) < 40 {
			t.Errorf("%s: %+v", s.Name, tool)
		}
		checkSchema(t, s.Name, string(s.Schema))
	}
}

// checkSchema holds a schema against what all three providers take.
func checkSchema(t *testing.T, name, schema string) {
	var m struct {
		Type       string
		Properties map[string]struct{ Type string }
		Required   []string
		Additional *bool `json:"additionalProperties"`
	}
	if err := json.Unmarshal([]byte(schema), &m); err != nil {
		t.Fatal(err)
	}
	if m.Type != "object" || m.Additional == nil || *m.Additional || len(m.Required) == 0 {
		t.Errorf("%s: %s", name, schema)
	}
	if m.Properties["description"].Type != "string" {
		t.Errorf("%s has no description", name)
	}
	for _, r := range m.Required {
		if r == "description" || m.Properties[r].Type != "string" {
			t.Errorf("%s requires %s", name, r)
		}
	}
}

// What a schema says of a property is what the decoder checks before a human is
// asked: it panics at a keyword that it does not know.
func TestSchemaIsChecked(t *testing.T) {
	set := NewSet(AllSets()...)
	for _, s := range set.Specs() {
		var schema struct {
			Properties map[string]struct {
				Type string
				Enum []any
			}
		}
		if err := json.Unmarshal([]byte(s.Schema), &schema); err != nil {
			t.Fatal(err)
		}
		args := map[string]any{}
		for name, p := range schema.Properties {
			args[name] = map[string]any{"string": "x", "integer": 7, "boolean": true}[p.Type]
			if len(p.Enum) > 0 {
				args[name] = p.Enum[0]
			}
		}
		b, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		if f := set.Check(s.Name, string(b)); f != nil {
			t.Errorf("%s %s: %s", s.Name, b, f.Error)
		}
	}
}

// FuzzDecode: what the decoder takes is one JSON object, and means to it what
// it means to everybody who reads it with encoding/json.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"path":"a","content":"b"}`, `{"path":"a","content":"b","description":null}`, `{"path":"\ud83d\ude00","content":"\\ud800"}`,
		`{"path":"a","path":"b","content":""}`, `{"Path":"a","content":""}`, `{`, `null`, ``, `{"path":"a","content":"b"}x`, "{\"path\":\"\xff\",\"content\":\"\"}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, args string) {
		in, wrong := decode[writeFileInput](args)
		if wrong != "" {
			if !utf8.ValidString(wrong) {
				t.Errorf("%q", wrong)
			}
			return
		}
		var plain writeFileInput
		if err := json.Unmarshal([]byte(args), &plain); err != nil || plain != in {
			t.Errorf("%q: %+v, and to encoding/json %+v, %v", args, in, plain, err)
		}
		if strings.ContainsRune(in.Path+in.Content, utf8.RuneError) && !strings.ContainsRune(args, utf8.RuneError) && !strings.Contains(strings.ToLower(args), `\ufffd`) {
			t.Errorf("%q: a replacement character that nobody sent", args)
		}
	})
}
