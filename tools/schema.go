package tools

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/invopop/jsonschema"

	"vibey/dialog"
	"vibey/dialog/history"
)

// descriptions are what a model reads of each tool, in a file of the tool's name.
//
//go:embed *.md
var descriptions embed.FS

// define makes a tool of its text, its input struct In and the function run. In's fields are
// strings, numbers or bools with json and jsonschema tags; omitempty makes one
// optional. Both the schema that a model reads and the decoder that checks a call
// before a human is asked are made from these tags. A human is asked about each call
// that may change something, and before one that starts a program.
func define[In any](name string, class dialog.Class, run func(context.Context, Env, In) Result) Tool {
	text, err := descriptions.ReadFile(name + ".md")
	if err != nil {
		panic(err) // a tool has no text, which every start of the program shows
	}
	return Tool{
		ToolSpec: history.ToolSpec{Name: name, Description: strings.TrimSpace(string(text)), Schema: schemaOf[In]()},
		Class:    class, Asks: class != dialog.Read,
		read: func(args string) (func(context.Context, Env) Result, string) {
			in, wrong := decode[In](args)
			return func(ctx context.Context, env Env) Result { return run(ctx, env, in) }, wrong
		},
	}
}

// schemaFailure is the failure of a call whose arguments decode refuses.
func schemaFailure(name, wrong, args string) *Failure {
	if args == "" {
		args = "(nothing)"
	}
	return &Failure{Kind: Schema, Error: fmt.Sprintf("%s was not run: %s. Received: %s", name, wrong, clip(args, 300))}
}

// schemaOf reflects In. The version line is left out: no provider reads it,
// and every request would carry it.
func schemaOf[In any]() history.RawJSON {
	r := jsonschema.Reflector{Anonymous: true, DoNotReference: true, ExpandedStruct: true}
	s := r.Reflect(new(In))
	s.Version = ""
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a tool's struct is wrong, which every start of the program shows
	}
	return history.RawJSON(b)
}
