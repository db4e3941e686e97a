package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/invopop/jsonschema"

	"vibey/dialog"
	"vibey/dialog/jsontext"
)

// define makes a tool of its input struct In and the function that does the
// work. In's fields are strings, numbers or bools with json and jsonschema tags;
// omitempty makes one optional. The schema that a model reads and the decoder that
// checks a call before a human is asked both come from these tags.
func define[In any](name, text string, class Class, run func(context.Context, Env, In) Result) Tool {
	return Tool{
		Name: name, Description: strings.TrimSpace(text), Schema: schemaOf[In](), Class: class, Asks: class == Mutate,
		check: func(args string) string {
			_, wrong := decode[In](args)
			return wrong
		},
		call: func(ctx context.Context, env Env, args string) Result {
			in, wrong := decode[In](args)
			if wrong != "" {
				return schemaFailure(name, wrong, args).Result()
			}
			return run(ctx, env, in)
		},
	}
}

// schemaFailure is the answer to arguments that can't be taken.
func schemaFailure(name, wrong, args string) *Failure {
	if args == "" {
		args = "(nothing)"
	}
	return &Failure{Kind: Schema, Error: fmt.Sprintf("%s was not run: %s. Received: %s", name, wrong, clip(args, 300))}
}

// schemaOf reflects In. The version line is left out: no provider reads it,
// and every request would carry it.
func schemaOf[In any]() dialog.RawJSON {
	r := jsonschema.Reflector{Anonymous: true, DoNotReference: true, ExpandedStruct: true}
	s := r.Reflect(new(In))
	s.Version = ""
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a tool's struct is wrong: no program starts with it
	}
	return dialog.RawJSON(b)
}

// Title returns the description that a call's arguments carry, on one line, or
// "". It is a title for a human, never shown instead of the input.
func Title(args string) string {
	members, err := jsontext.Members([]byte(args))
	if err != nil {
		return ""
	}
	for _, m := range members {
		var s string
		if m.Name == "description" && json.Unmarshal(m.Value, &s) == nil {
			return clip(strings.Join(strings.Fields(s), " "), 120)
		}
	}
	return ""
}
