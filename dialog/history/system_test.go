package history

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"vibey/dialog/jsontext"
)

func TestReadTools(t *testing.T) {
	const whole = `[{"name":"run_command","description":"Run.","input_schema":{"type":"object","properties":{"n":{"type":["integer","null"],"enum":[1,2],"minimum":0},` +
		`"list":{"type":"array","items":{"type":"string"}},"any":{"anyOf":[{"type":"string"},{"type":"null"}]},"free":{},"A_.-9fffffffffffffffffffffffffffffffffffffffffffffffffffffffffff":{}},"required":["n"],"additionalProperties":false}},` +
		`{"name":"mcp_A-b","input_schema":{"type":"object","properties":{}}}]`
	if tools, ok := readTools(whole); !ok || len(tools) != 2 || !strings.HasPrefix(string(tools[0].Schema), `{"type":"object"`) {
		t.Fatalf("%v %+v", ok, tools)
	}
	for _, c := range [][2]string{
		{whole, ""}, {whole, "[]"}, {whole, "null"}, {whole, "{}"}, {whole, whole[:len(whole)-1]}, {"Run.", "R\xffn."},
		{`"name":"run_command"`, `"nam":"run_command"`}, {"mcp_A-b", "run_command"}, {"mcp_A-b", "two words"}, {`"name":"mcp_A-b"`, `"name":7`},
		{`,"input_schema":{"type":"object","properties":{}}}]`, `}]`}, {`{"type":"object","properties":{}}}]`, `null}]`}, {`{"type":"object","properties":{}}}]`, `{"typ":"object"}}]`}, {`{"type":"object","properties":{}}}]`, `{"type":"array"}}]`},
		{`"type":"string"`, `"type":"strinh"`}, {`"type":"string"`, `"type":7`}, {`["integer","null"]`, `["integer",7]`}, {`["integer","null"]`, `[]`},
		{`"required":["n"]`, `"required":"n"`}, {`"required":["n"]`, `"required":["n","n"]`}, {`"required":["n"]`, `"required":[null]`},
		{`"properties":{"n"`, `"properties":[],"x":{"n"`}, {`"free":{}`, `"free":null`}, {`"free":{}`, `"free":7`}, {`"items":{`, `"items":7,"x":{`},
		{`"properties":{}`, `"propertiez":{}`}, {`"properties":{"n"`, `"properties":{"(":{},"n"`}, {`"free":{}`, `"":{}`}, {`"free":{}`, `"fr\u0065 e":{}`}, {`"free":{}`, `"` + strings.Repeat("f", 65) + `":{}`}, {`"free":{}`, `"f:":{}`}, {`"free":{}`, `"f/":{}`},
		{`"items":{`, `"itemz":{`}, {`"required":["n"]`, `"required":["m"]`}, {`"Run."`, `"\ud83d"`},
		{`"enum":[1,2]`, `"enum":[]`}, {`"minimum":0`, `"minimum":"0"`}, {`"additionalProperties":false`, `"additionalProperties":"no"`}, {`"anyOf":[`, `"anyOf":[7,`},
	} {
		if !strings.Contains(whole, c[0]) {
			t.Fatalf("nothing to damage: %s", c[0])
		}
		if damaged := strings.Replace(whole, c[0], c[1], 1); func() bool { _, ok := readTools(damaged); return ok }() {
			t.Errorf("taken for whole: %s", damaged)
		}
	}
}

// The tools of the next dialog, which mostly are those of the last, are not read again;
// a list of dialogs would do little else. What is kept of them is bounded.
func TestToolsAreReadOnce(t *testing.T) {
	const whole = `[{"name":"a","input_schema":{"type":"object","properties":{}}}]`
	if n := testing.AllocsPerRun(10, func() { readTools(whole) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	for i := range 10 * readMost {
		text := strings.Replace(whole, `"a"`, fmt.Sprintf(`"a%d"`, i), 1)
		if tools, ok := readTools(text); !ok || tools[0].Name != fmt.Sprintf("a%d", i) {
			t.Errorf("%s: %v", text, tools)
		}
		readTools(text + strings.Repeat(" ", readMax))
	}
	toolsRead.Lock()
	defer toolsRead.Unlock()
	if len(toolsRead.of) > readMost {
		t.Errorf("%d texts are kept", len(toolsRead.of))
	}
	for text := range toolsRead.of {
		if len(text) > readMax {
			t.Errorf("a text of %d bytes is kept", len(text))
		}
	}
}

// What is valid alone can be read back in a list, and what can't be is not valid.
func TestToolsThatAreValid(t *testing.T) {
	nested := func(levels int) RawJSON { // of objects, one in the other
		return RawJSON(`{"type":"object","properties":` + strings.Repeat(`{"a":`, levels-2) + `{}` + strings.Repeat(`}`, levels-2) + `}`)
	}
	for _, c := range []struct {
		what string
		tool ToolSpec
		want bool
	}{
		{"as deep as a list may be", ToolSpec{Name: "a", Schema: nested(jsontext.MaxDepth - listDepth)}, true},
		{"a level deeper", ToolSpec{Name: "a", Schema: nested(jsontext.MaxDepth - listDepth + 1)}, false},
		{"far too deep", ToolSpec{Name: "a", Schema: nested(9000)}, false},
		{"half of a surrogate pair", ToolSpec{Name: "a", Schema: `{"type":"object","properties":{},"description":"\ud83d"}`}, false},
		{"no UTF-8", ToolSpec{Name: "a", Schema: "{\"type\":\"object\",\"properties\":{},\"description\":\"\xff\"}"}, false},
	} {
		list, err := json.Marshal([]ToolSpec{c.tool})
		if err != nil {
			t.Fatal(c.what, err)
		}
		if _, read := readTools(string(list)); c.tool.Valid() != c.want || read != c.want {
			t.Errorf("%s: valid %v, read back %v", c.what, c.tool.Valid(), read)
		}
	}
}
