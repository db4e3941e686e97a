package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"unicode/utf8"

	"vibey/dialog"
)

// bodyMax is the most bytes that a request's body has. More is refused unread.
const bodyMax = 16 << 20

// readJSON reads a request's body, one JSON object, into the struct that into
// points at. It takes nothing on trust: type, size, encoding, names and types
// of the fields must be right, or it is a problem that names what is not.
func readJSON(w http.ResponseWriter, r *http.Request, into any) error {
	if err := wantType(r, "application/json"); err != nil {
		return err
	}
	body, err := readBody(w, r)
	if err != nil {
		return err
	}
	if !utf8.Valid(body) {
		return refuse(400, "not-utf8", "The body is not UTF-8. Nothing was done. Encode it as UTF-8 and send it again.")
	}
	if dialog.LoneSurrogate(body) {
		return refuse(400, "not-utf8", `The body has half of a character (a \u escape of a lone surrogate). Nothing was done, since the text could not be kept as it is.`)
	}
	return decodeObject(body, into)
}

// wantType checks the Content-Type, which also keeps plain HTML forms out.
func wantType(r *http.Request, want string) error {
	typ, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset := strings.ToLower(params["charset"])
	if err != nil || typ != want || charset != "" && charset != "utf-8" {
		return refuse(415, "wrong-type", fmt.Sprintf("The body's Content-Type is %q, and %s is wanted here. Nothing was done.", clip(r.Header.Get("Content-Type")), want))
	}
	if e := r.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return refuse(415, "wrong-type", "The body is compressed. Nothing was done. Send it plain.")
	}
	return nil
}

func tooLarge() error {
	return refuse(http.StatusRequestEntityTooLarge, "too-large", "The body is larger than 16 MiB. It was not read, and nothing was done. Send less at once.")
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength > bodyMax {
		return nil, tooLarge()
	}
	if a, ok := w.(*answer); ok {
		w = a.ResponseWriter // which knows how to close the line on somebody who sends too much
	}
	var buf bytes.Buffer
	if r.ContentLength > 0 {
		buf.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	_, err := buf.ReadFrom(http.MaxBytesReader(w, r.Body, bodyMax))
	var max *http.MaxBytesError
	switch {
	case errors.As(err, &max):
		return nil, tooLarge()
	case err != nil:
		return nil, refuse(400, "bad-body", "The body broke off before its end. Nothing was done. Send it again.")
	}
	return buf.Bytes(), nil
}

func badBody(format string, args ...any) error {
	return refuse(400, "bad-body", fmt.Sprintf(format, args...)+" Nothing was done.")
}

func badField(format string, args ...any) error {
	return refuse(400, "bad-field", fmt.Sprintf(format, args...)+" Nothing was done.")
}

// decodeObject is json.Unmarshal for one flat request struct, but strict: names
// must match exactly, each at most once, and errors name the field.
func decodeObject(body []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(body))
	open, err := dec.Token()
	if err != nil {
		return badBody("The body is not JSON: %v.", jsonWords(err))
	}
	if open != json.Delim('{') {
		return badBody("The body is JSON, but not an object.")
	}
	v := reflect.ValueOf(into).Elem()
	seen := map[string]bool{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return badBody("The body is not JSON: %v.", jsonWords(err))
		}
		name := key.(string) // the decoder lets nothing else stand there
		if seen[name] {
			return badField("The field %q stands there twice; send it once.", clip(name))
		}
		seen[name] = true
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return badBody("The body is not JSON: %v.", jsonWords(err))
		}
		if err := setField(v, name, raw); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return badBody("The body is not JSON: %v.", jsonWords(err))
	}
	if _, err := dec.Token(); err != io.EOF {
		return badBody("Something follows the JSON object.")
	}
	return nil
}

// setField decodes one field. null leaves it out.
func setField(v reflect.Value, name string, raw json.RawMessage) error {
	for i := range v.NumField() {
		if fieldName(v.Type().Field(i)) != name {
			continue
		}
		if string(raw) == "null" {
			return nil
		}
		if err := json.Unmarshal(raw, v.Field(i).Addr().Interface()); err != nil {
			return badField("The field %q has the wrong type: %s is wanted.", name, typeWords(v.Field(i).Type()))
		}
		return nil
	}
	if name == "decisions" || name == "authorizations" {
		return badField("The field %q is of an older form. Send \"control\" instead: text with a line for each decision, such as \"<id> approve sha256:<hex>\" or \"<id> deny\".", name)
	}
	return badField("There is no field %q here. Known are: %s.", clip(name), strings.Join(fieldNames(v.Type()), ", "))
}

func fieldName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func fieldNames(t reflect.Type) []string {
	names := make([]string, t.NumField())
	for i := range names {
		names[i] = fieldName(t.Field(i))
	}
	return names
}

// typeWords is a Go type in the words of JSON.
func typeWords(t reflect.Type) string {
	if t == reflect.TypeFor[promptField]() {
		return "a string or an object"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeWords(t.Elem())
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	}
	return "another type"
}

// jsonWords are encoding/json's without its name in front.
func jsonWords(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "it ends too early"
	}
	return clip(strings.TrimPrefix(err.Error(), "json: "))
}

// clip makes text of strangers short enough for a message.
func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
