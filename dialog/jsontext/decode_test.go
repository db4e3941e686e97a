package jsontext

import (
	"encoding/json"
	"errors"
	"testing"
)

type input struct {
	Name  string          `json:"name" jsonschema:"minLength=1"`
	Code  string          `json:"code,omitempty" jsonschema:"minLength=3,description=short"`
	Port  int             `json:"port,omitempty" jsonschema:"minimum=1,maximum=65535"`
	Force *bool           `json:"force,omitempty"`
	Extra json.RawMessage `json:"extra,omitempty"`
	Kind  string          `json:"kind,omitempty" jsonschema:"enum=one,enum=two"`
}

func TestDecode(t *testing.T) {
	for _, c := range []struct {
		text  string
		fault Fault
		must  string
	}{
		{`{"name":"a"}`, "", ""},
		{` {"name":"a","code":"abc","port":65535,"force":true,"extra":[null]} `, "", ""},
		{`{"name":"a","code":null,"port":null}`, "", ""},
		{`{"name":"a","code":"äöü"}`, "", ""},
		{`{"name":"\ud83d\ude00"}`, "", ""},
		{`{}`, Missing, ""},
		{`{"code":"abc"}`, Missing, ""},
		{`{"name":null}`, Type, "be a string"},
		{`{"name":7}`, Type, "be a string"},
		{`{"name":"a","port":1.5}`, Type, "be a whole number"},
		{`{"name":"a","port":"1"}`, Type, "be a whole number"},
		{`{"name":"a","force":"yes"}`, Type, "be true or false"},
		{`{"Name":"a"}`, Unknown, ""},
		{`{"name":"a","NAME":"b"}`, Unknown, ""},
		{`{"name":"a","na\u006de":"b"}`, Twice, ""},
		{`{"name":"a","code":null,"code":"abc"}`, Twice, ""},
		{`{"name":"\ud83d"}`, Surrogate, ""},
		{`{"name":""}`, Bounds, "not be empty"},
		{`{"name":"a","code":"äö"}`, Bounds, "have at least 3 characters"},
		{`{"name":"a","port":0}`, Bounds, "be at least 1"},
		{`{"name":"a","port":65536}`, Bounds, "be at most 65535"},
		{`{"name":"a","kind":"two"}`, "", ""},
		{`{"name":"a","kind":"three"}`, Bounds, "be one of one, two"},
		{`{"name":"a","kind":""}`, Bounds, "be one of one, two"},
	} {
		var in, plain input
		err := DecodeWhole([]byte(c.text), &in)
		f, _ := errors.AsType[*FieldError](err)
		switch {
		case c.fault == "" && err != nil:
			t.Errorf("%s: %v", c.text, err)
		case c.fault == "":
			json.Unmarshal([]byte(c.text), &plain)
			if got, want := mustMarshal(t, in), mustMarshal(t, plain); got != want {
				t.Errorf("%s: %s, and to encoding/json %s", c.text, got, want)
			}
		case f == nil || f.Fault != c.fault || f.Must != c.must:
			t.Errorf("%s: %+v, want it %s, and that it must %s", c.text, err, c.fault, c.must)
		}
	}
	var in input
	if err := Decode([]byte(`{"name":null,"port":7}`), &in); err != nil || in.Port != 7 {
		t.Errorf("fields may be absent or null: %+v %v", in, err)
	}
	if err := Decode([]byte(`{"port":0}`), &in); err == nil {
		t.Error("a bound holds only where all fields must be there")
	}
	err := DecodeWhole([]byte(`{"x":1}`), &in)
	if f, ok := errors.AsType[*FieldError](err); !ok || len(f.Known) != 6 || f.Known[0] != "name" || f.Known[1] != "code?" {
		t.Errorf("%+v", err)
	}
}

func mustMarshal(t *testing.T, v any) string {
	t.Helper()
	b, err := Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A keyword that the decoder would pass over is found by the first test of a tool.
func TestUnknownKeywordPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a pattern was not checked, and nothing said so")
		}
	}()
	var in struct {
		A string `json:"a" jsonschema:"pattern=^a$"`
	}
	Decode([]byte(`{"a":"b"}`), &in)
}

// A field that JSON does not have can't be set, by no name.
func TestDecodeLeavesHiddenFields(t *testing.T) {
	var into struct {
		Name string `json:"name,omitempty"`
		By   string `json:"-"`
	}
	for _, body := range []string{`{"-":"x"}`, `{"By":"x"}`, `{"by":"x"}`} {
		if err := Decode([]byte(body), &into); err == nil || into.By != "" {
			t.Errorf("%s: %v, By is %q", body, err, into.By)
		}
	}
}
