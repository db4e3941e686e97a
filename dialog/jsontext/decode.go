package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Member is one name and value of an object.
type Member struct {
	Name  string
	Value json.RawMessage
}

// ErrNotObject is a JSON text that begins with something else than an object.
var ErrNotObject = errors.New("it begins with something else")

// ErrTrailing is an object with something behind it.
var ErrTrailing = errors.New("something follows the object")

// Members splits text, which is one JSON object and nothing else, into its
// members, in order. A name may be there more than once. The words of an error
// describe the text as "it".
func Members(text []byte) (members []Member, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	t, err := d.Token()
	if err != nil {
		return nil, early(err)
	}
	if t != json.Delim('{') {
		return nil, ErrNotObject
	}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, early(err)
		}
		m := Member{Name: t.(string)} // the decoder takes nothing else as a name
		if err := d.Decode(&m.Value); err != nil {
			return nil, early(err)
		}
		members = append(members, m)
	}
	if _, err := d.Token(); err != nil {
		return nil, early(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, ErrTrailing
	}
	return members, nil
}

// early says an end of input in words for the sender of the text.
func early(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends too early")
	}
	return err
}

// Fault is a way in which a member is not what the struct wants.
type Fault string

const (
	Unknown   Fault = "no such field" // to the letter
	Twice     Fault = "there more than once"
	Type      Fault = "of another type"
	Surrogate Fault = "half of a surrogate pair"
	Bounds    Fault = "beyond what the jsonschema tag allows"
	Missing   Fault = "missing"
)

// FieldError is a member that does not fit its field.
type FieldError struct {
	Name  string // as it came, however long
	Fault Fault
	Must  string   // of Type and Bounds: "be a string", "be at most 65535"
	Known []string // the names of all fields, with a "?" behind an optional one
}

func (e *FieldError) Error() string { return strconv.Quote(e.Name) + ": " + string(e.Fault) }

// Decode reads text, one JSON object, into the struct that into points at. Names
// match to the letter, each at most once. The fields' jsonschema tags hold as they
// do in the schema that is made of them. A member that is absent or null leaves
// its field as it is; null is a fault where the field's type is a NotNull. An error about a member is a *FieldError.
func Decode(text []byte, into any) error { return decode(text, into, false) }

// DecodeWhole is Decode in which every field without omitempty must be there, and
// not be null.
func DecodeWhole(text []byte, into any) error { return decode(text, into, true) }

func decode(text []byte, into any, whole bool) error {
	members, err := Members(text)
	if err != nil {
		return err
	}
	v := reflect.ValueOf(into).Elem()
	fields, known := fieldsOf(v.Type())
	for _, m := range members {
		f := fields[m.Name]
		switch {
		case f == nil:
			return &FieldError{Name: m.Name, Fault: Unknown, Known: known}
		case f.seen:
			return &FieldError{Name: m.Name, Fault: Twice}
		}
		f.seen = true
		if string(m.Value) == "null" && (f.optional || !whole) && !refusesNull(v.Field(f.index)) {
			continue
		}
		if err := f.set(v.Field(f.index), m.Value); err != nil {
			if err.Name != "" { // of a member's own member
				err.Name = "." + err.Name
			}
			err.Name = m.Name + err.Name
			return err
		}
	}
	for _, name := range known {
		if f := fields[name]; whole && f != nil && !f.seen { // an optional one has a "?" there
			return &FieldError{Name: name, Fault: Missing, Known: known}
		}
	}
	return nil
}

// field is one field of a struct.
type field struct {
	index    int
	optional bool
	schema   string // its jsonschema tag
	seen     bool   // in the text
}

// fieldsOf returns a struct's fields by their JSON names, and FieldError.Known.
func fieldsOf(t reflect.Type) (fields map[string]*field, known []string) {
	fields = make(map[string]*field, t.NumField())
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		optional := strings.Contains(options, "omitempty")
		fields[name] = &field{index: i, optional: optional, schema: f.Tag.Get("jsonschema")}
		if optional {
			name += "?"
		}
		known = append(known, name)
	}
	return fields, known
}

// set puts a JSON value into the field, which v is.
func (f *field) set(v reflect.Value, raw json.RawMessage) *FieldError {
	err := json.Unmarshal(raw, v.Addr().Interface())
	if within, ok := errors.AsType[*FieldError](err); ok {
		return within
	}
	if string(raw) == "null" || err != nil {
		return &FieldError{Fault: Type, Must: "be " + typeWords(v.Type())}
	}
	if raw[0] == '"' && LoneSurrogate(raw) {
		return &FieldError{Fault: Surrogate}
	}
	if must := f.bounds(v); must != "" {
		return &FieldError{Fault: Bounds, Must: must}
	}
	return nil
}

// bounds returns what v must be by the field's jsonschema tag and is not, or "".
// A keyword that it can't check is a fault of the program.
func (f *field) bounds(v reflect.Value) string {
	var allowed []string
	for keyword := range strings.SplitSeq(f.schema, ",") {
		key, value, _ := strings.Cut(keyword, "=")
		n, _ := strconv.Atoi(value)
		switch key {
		case "", "description":
		case "enum":
			allowed = append(allowed, value)
		case "minLength":
			if utf8.RuneCountInString(v.String()) >= n {
				continue
			}
			if n == 1 {
				return "not be empty"
			}
			return fmt.Sprintf("have at least %d characters", n)
		case "minimum":
			if v.Int() < int64(n) {
				return fmt.Sprintf("be at least %d", n)
			}
		case "maximum":
			if v.Int() > int64(n) {
				return fmt.Sprintf("be at most %d", n)
			}
		default:
			panic("jsontext: a jsonschema tag says " + keyword + ", which is not checked")
		}
	}
	if allowed != nil && !slices.Contains(allowed, v.String()) {
		return "be one of " + strings.Join(allowed, ", ")
	}
	return ""
}

// NotNull is a type whose members may be absent, but not null.
type NotNull interface{ NotNull() }

func refusesNull(v reflect.Value) bool {
	_, refuses := v.Interface().(NotNull)
	return refuses
}

// Worded is a type that says in words what it is in JSON: "a string or an object".
type Worded interface{ JSONType() string }

// typeWords returns what a Go type is in JSON.
func typeWords(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		return typeWords(t.Elem())
	}
	if w, ok := reflect.Zero(t).Interface().(Worded); ok {
		return w.JSONType()
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Int:
		return "a whole number"
	}
	return "another type"
}
