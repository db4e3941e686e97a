package tools

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"vibey/dialog/jsontext"
)

// decode reads args into In, and says in words for the model what is wrong with
// them. encoding/json alone would take {"Path":…}, {"path":1,"path":2}, null for a
// string and a broken surrogate without a word: then what a human saw and what
// runs could differ.
func decode[In any](args string) (in In, wrong string) {
	if args == "" {
		args = "{}"
	}
	if !utf8.ValidString(args) {
		return in, "the arguments are not UTF-8; send one JSON object in UTF-8"
	}
	err := jsontext.DecodeWhole([]byte(args), &in)
	f, ok := errors.AsType[*jsontext.FieldError](err)
	switch {
	case err == nil:
		return in, ""
	case !ok:
		return in, "the arguments are not one JSON object (" + err.Error() + "); send exactly one object with double quotes"
	}
	switch f.Fault {
	case jsontext.Unknown:
		return in, fmt.Sprintf("there is no property %q; the properties are %s", clip(f.Name, 60), strings.Join(f.Known, ", "))
	case jsontext.Twice:
		return in, fmt.Sprintf("%q stands there twice; send it once", f.Name)
	case jsontext.Missing:
		return in, fmt.Sprintf("%q is missing; the properties are %s", f.Name, strings.Join(f.Known, ", "))
	case jsontext.Surrogate:
		return in, fmt.Sprintf("%q holds half of a \\u surrogate pair; send whole characters", f.Name)
	}
	return in, fmt.Sprintf("%q must %s", f.Name, f.Must)
}
