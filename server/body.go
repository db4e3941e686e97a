package server

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"vibey/dialog/jsontext"
)

// bodyMax is the size limit of a request's body, in bytes, where its route names no other. A
// larger one is refused unread.
const bodyMax = 16 << 20

// notUTF8 refuses a body of other bytes.
var notUTF8 = refuse(400, "not-utf8", "The body is not UTF-8. Nothing was done. Encode it as UTF-8 and send it again.")

// readJSON reads a request's body, one JSON object, into the struct that into
// points at. Where its media type, size, encoding, or the name or type of a field
// is wrong, it returns a problem that names which.
func readJSON(w http.ResponseWriter, r *http.Request, into any) error {
	if err := wantType(r, "application/json"); err != nil {
		return err
	}
	body, err := readBody(w, r)
	if err != nil {
		return err
	}
	if !utf8.Valid(body) {
		return notUTF8
	}
	if jsontext.LoneSurrogate(body) {
		return refuse(400, "not-utf8", `The body has half of a character (a \u escape of a lone surrogate). Nothing was done, since the text could not be kept as it is.`)
	}
	return decodeObject(body, into)
}

// wantType checks the Content-Type, which also keeps plain HTML forms out.
func wantType(r *http.Request, want string) error {
	typ, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset := strings.ToLower(params["charset"])
	if err != nil || typ != want || charset != "" && charset != "utf-8" {
		return refuse(415, "wrong-type", fmt.Sprintf("The body's Content-Type is %q, and %s is wanted here. Nothing was done.", excerpt(r.Header.Get("Content-Type")), want))
	}
	return wantPlain(r)
}

// wantPlain refuses a compressed body.
func wantPlain(r *http.Request) error {
	if e := r.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return refuse(415, "wrong-type", "The body is compressed. Nothing was done. Send it plain.")
	}
	return nil
}

// tooLarge refuses the body of r, which may have most bytes. A snapshot can't be sent in
// parts, and has another way.
func tooLarge(r *http.Request, most int64) error {
	if most != bodyMax {
		return refuse(http.StatusRequestEntityTooLarge, "too-large", fmt.Sprintf("This file is larger than %d MB, the most that one may have. It was not read to its end, and nothing was kept. Make it smaller, or put it into the deed's folder.", most/1_000_000))
	}
	if wantType(r, zipType) == nil {
		return refuse(http.StatusRequestEntityTooLarge, "too-large", "This snapshot is larger than 16 MiB, the most that a request may have. It was not read, and nothing was done. On the computer where this server runs, `vibey import FILE NAME` takes it.")
	}
	return refuse(http.StatusRequestEntityTooLarge, "too-large", "The body is larger than 16 MiB. It was not read, and nothing was done. Send less at once.")
}

// readBody is readUpTo of bodyMax.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) { return readUpTo(w, r, bodyMax) }

// readUpTo reads a body of at most so many bytes, whose length, if it was sent, server.do has
// checked.
func readUpTo(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	if a, ok := w.(*answer); ok {
		w = a.ResponseWriter // net/http's own, through which MaxBytesReader closes the connection
	}
	var buf bytes.Buffer
	if r.ContentLength > 0 {
		buf.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	_, err := buf.ReadFrom(http.MaxBytesReader(w, r.Body, most))
	switch _, large := errors.AsType[*http.MaxBytesError](err); {
	case large:
		return nil, tooLarge(r, most)
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

// decodeObject reads a body into a request's struct, and returns in words for a
// person what is wrong with it. Whether a field may be absent is for the handler.
func decodeObject(body []byte, into any) error {
	err := jsontext.Decode(body, into)
	f, ok := errors.AsType[*jsontext.FieldError](err)
	switch {
	case err == nil:
		return nil
	case err == jsontext.ErrNotObject:
		return badBody("The body is JSON, but not an object.")
	case err == jsontext.ErrTrailing:
		return badBody("Something follows the JSON object.")
	case !ok:
		return badBody("The body is not JSON: %v.", excerpt(strings.TrimPrefix(err.Error(), "json: ")))
	case f.Fault == jsontext.Twice:
		return badField("The field %q stands there twice; send it once.", f.Name)
	case f.Fault == jsontext.Missing:
		return badField("The field %q is missing. Known are: %s.", f.Name, strings.ReplaceAll(strings.Join(f.Known, ", "), "?", ""))
	case f.Fault == jsontext.Type:
		return badField("The field %q has the wrong type: %s is wanted.", f.Name, strings.TrimPrefix(f.Must, "be "))
	case f.Name == "decisions" || f.Name == "authorizations":
		return badField("The field %q is of an older form. Send \"control\" instead: text with a line for each decision, such as \"<id> approve sha256:<hex>\" or \"<id> deny\".", f.Name)
	case f.Fault == jsontext.Unknown:
		return badField("There is no field %q here. Known are: %s.", excerpt(f.Name), strings.ReplaceAll(strings.Join(f.Known, ", "), "?", ""))
	}
	return badField("The field %q must %s.", f.Name, f.Must)
}

// excerpt returns what a client sent, short enough for a message.
func excerpt(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
