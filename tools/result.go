package tools

import (
	"fmt"
	"reflect"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/dialog/jsontext"
	"vibey/tools/caught"
)

// The kinds of failure that the governor counts as mistakes.
const (
	Schema     = "schema_reject"
	NotFound   = "tool_not_found"
	ExecError  = "exec_error" // it could not run; a command's non-zero exit is none
	Permission = "permission_denied"
)

// Result is what became of one call.
type Result struct {
	JSON    string // one object; "success" is its first key; never a secret of Env.Mask
	Success bool
	// Failure is the kind of mistake, "" for a success and for what counts as
	// none: a command that ran and exited non-zero, an interrupted call.
	Failure string
	// Sandbox is the level under which a command ran; "" for other tools.
	Sandbox string
	// NotRun: the call was refused before its tool did anything of what was asked.
	NotRun bool
	// Interrupted: the context ended, and the call with it.
	// Tried is a command that was tried and changed something: it has no result yet either.
	Tried *TriedCommand
	// Unfinished is why a call that ran has no result yet: what it changed is only in part in
	// the deed. All else is zero then.
	Unfinished  error
	Interrupted bool
	// Served is what a call of an MCP server showed of it; nil for other tools.
	Served *Served
	// Panic is the panic that ended the call, or nil. The caller logs it.
	Panic *caught.Panic

	body any // what JSON is made of, until masked
}

// Failure is a call that must not run, and why, in words for the model.
type Failure struct{ Kind, Error string }

// Result is the failure as a call's result.
func (f *Failure) Result() Result { return notRun(f.Kind, "%s", f.Error) }

// failure is the body of every result of a call that did nothing.
type failure struct {
	Success bool   `json:"success"`
	Error   string `json:"error" mask:"text"`
	// Current is the present state of a file that changed since the dialog named it.
	Current *change.FileHash `json:"current,omitempty"`
}

func failed(kind, format string, a ...any) Result {
	return Result{Failure: kind, body: &failure{Error: fmt.Sprintf(format, a...)}}.sealed()
}

// notRun is the result of a call that its tool did not begin.
func notRun(kind, format string, a ...any) Result {
	r := failed(kind, format, a...)
	r.NotRun = true
	return r
}

// interrupted is the result of a call whose context ended.
func interrupted() Result {
	r := failed("", dialog.StoppedByUser)
	r.Interrupted = true
	return r
}

// Caught returns the result of call, which runs the tool name, or that of its panic.
func Caught(name string, call func() Result) (r Result) {
	err := caught.Do(func() error { r = call(); return nil })
	if err == nil {
		return r
	}
	p := caught.Of(err)
	r = failed(ExecError, "%s failed by a fault of this program, and whether it changed anything is not known. Look before you try again. The log has the fault as %s.", name, p.ID)
	r.Panic = p
	return r
}

// masked masks the secrets of env, and the marks of confirmed wishes, in the
// result's texts from outside: in what has the tag mask:"text".
func (r Result) masked(env Env) Result {
	if r.body != nil {
		maskTexts(reflect.ValueOf(r.body), false, env.masker())
	}
	if b, ok := r.body.(*ran); ok {
		b.Changed.mask(env.masker())
	}
	return r.sealed()
}

// maskTexts masks the strings in v that are below a field with the tag, or all of them.
func maskTexts(v reflect.Value, all bool, mask func(string) string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			maskTexts(v.Elem(), all, mask)
		}
	case reflect.Slice:
		for i := range v.Len() {
			maskTexts(v.Index(i), all, mask)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			maskTexts(v.Field(i), all || v.Type().Field(i).Tag.Get("mask") == "text", mask)
		}
	case reflect.String:
		if all {
			v.SetString(mask(v.String()))
		}
	}
}

// sealed makes JSON from the body.
func (r Result) sealed() Result {
	if r.body == nil {
		return r
	}
	b, err := jsontext.Marshal(r.body) // the file and the model read < and & as they are
	if err != nil {
		return failed(ExecError, "the result could not be written down: %v", err)
	}
	r.JSON = string(b)
	return r
}
