package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	"vibey/dialog"
)

// decode reads args into In, and tells in words what is wrong with them.
// encoding/json alone would take {"Path":…}, {"path":1,"path":2}, null for a
// string and a broken surrogate without a word: then what a human saw and what
// runs could differ.
func decode[In any](args string) (in In, wrong string) {
	if args == "" {
		args = "{}"
	}
	if !utf8.ValidString(args) {
		return in, "the arguments are not UTF-8; send one JSON object in UTF-8"
	}
	members, err := object(args)
	if err != nil {
		return in, "the arguments are not one JSON object (" + err.Error() + "); send exactly one object with double quotes"
	}
	fields := fieldsOf(reflect.ValueOf(&in).Elem())
	for _, m := range members {
		f, ok := fields.get(m.key)
		if !ok {
			return in, fmt.Sprintf("there is no property %q; the properties are %s", clip(m.key, 60), fields.names())
		}
		if f.seen {
			return in, fmt.Sprintf("%q stands there twice; send it once", m.key)
		}
		f.seen = true
		if wrong := f.set(m.value); wrong != "" {
			return in, wrong
		}
	}
	for _, f := range fields {
		if !f.seen && !f.optional {
			return in, fmt.Sprintf("%q is missing; the properties are %s", f.name, fields.names())
		}
	}
	return in, ""
}

type member struct {
	key   string
	value json.RawMessage
}

// object splits one JSON object into its members, in order, doubles included.
func object(s string) ([]member, error) {
	d := json.NewDecoder(strings.NewReader(s))
	if t, err := d.Token(); err != nil {
		return nil, plain(err)
	} else if t != json.Delim('{') {
		return nil, errors.New("it begins with something else")
	}
	var members []member
	for d.More() {
		k, err := d.Token()
		if err != nil {
			return nil, plain(err)
		}
		m := member{key: k.(string)} // the decoder takes nothing else as a key
		if err := d.Decode(&m.value); err != nil {
			return nil, plain(err)
		}
		members = append(members, m)
	}
	if _, err := d.Token(); err != nil {
		return nil, plain(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("something follows the object")
	}
	return members, nil
}

// plain says an end of input as what it is for the sender.
func plain(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends too early")
	}
	return err
}

// field is one property of a tool's input.
type field struct {
	name     string
	value    reflect.Value
	optional bool
	nonempty bool
	seen     bool
}

type fields []*field

// fieldsOf lists the properties of an input struct in their order.
func fieldsOf(v reflect.Value) fields {
	var out fields
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		out = append(out, &field{
			name: name, value: v.Field(i), optional: strings.Contains(options, "omitempty"),
			nonempty: strings.Contains(f.Tag.Get("jsonschema"), "minLength=1"),
		})
	}
	return out
}

func (fs fields) get(name string) (*field, bool) {
	for _, f := range fs {
		if f.name == name {
			return f, true
		}
	}
	return nil, false
}

func (fs fields) names() string {
	var b strings.Builder
	for i, f := range fs {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(f.name)
		if f.optional {
			b.WriteString("?")
		}
	}
	return b.String()
}

// set puts a JSON value into the field. An optional one takes null as absent:
// some models send every property.
func (f *field) set(raw json.RawMessage) string {
	if bytes.Equal(raw, []byte("null")) && f.optional {
		return ""
	}
	if !kindFits(f.value.Kind(), raw[0]) || json.Unmarshal(raw, f.value.Addr().Interface()) != nil {
		return fmt.Sprintf("%q must be a %s", f.name, kindName(f.value.Kind()))
	}
	if f.value.Kind() != reflect.String {
		return ""
	}
	if dialog.LoneSurrogate(raw) {
		return fmt.Sprintf("%q holds half of a \\u surrogate pair; send whole characters", f.name)
	}
	if f.nonempty && f.value.Len() == 0 {
		return fmt.Sprintf("%q must not be empty", f.name)
	}
	return ""
}

// kindFits tells by a JSON value's first byte whether it can be of that kind.
func kindFits(k reflect.Kind, first byte) bool {
	switch k {
	case reflect.String:
		return first == '"'
	case reflect.Bool:
		return first == 't' || first == 'f'
	default:
		return first == '-' || first >= '0' && first <= '9'
	}
}

func kindName(k reflect.Kind) string {
	switch k {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "true or false"
	default:
		return "whole number"
	}
}
