// Package providertest is a scripted provider for tests, and a strict reader of
// what is sent to one. Mock speaks the three wire formats over HTTP:
//
//	m := providertest.New(providertest.Script{Replies: []providertest.Reply{
//		{Text: "I write it.", Calls: []providertest.Call{{ID: "call_a", Name: "write_file", Args: `{"path":"deed/a"}`}}},
//		{Text: "Done."},
//	}})
//	server := httptest.NewServer(m) // ANTHROPIC_BASE_URL = server.URL, OPENAI_BASE_URL = server.URL + "/v1"
//
// The reply is chosen by the number of responses that the request's history
// already holds, so a restart of the program under test changes nothing.
package providertest

import (
	"encoding/json"
	"strings"
)

// Honestly is what a Mock says where it may call no tool, in a recovery round. It is
// none of the script's replies, and does not count among them.
const Honestly = "In short: see what the results say."

// Script is what a Mock plays.
type Script struct {
	// Models is what /v1/models lists, the first one being the default.
	Models []string `json:"models,omitempty"`
	// Key, if set, is demanded from every request; another one gets 401.
	Key string `json:"key,omitempty"`
	// Lenient answers requests that Validate finds fault with; else they get 400.
	Lenient bool `json:"lenient,omitempty"`
	// NoTools, if set, refuses every request that offers tools, as a server does whose
	// model has none.
	NoTools *Fault `json:"no_tools,omitempty"`
	// Replies are played in order: the first to a history without a response.
	Replies []Reply `json:"replies"`
	// Cases replace Replies for dialogs whose first user text holds When; the first that fits.
	Cases []Case `json:"cases,omitempty"`
}

// Case is a script for some dialogs.
type Case struct {
	When    string  `json:"when"`
	Replies []Reply `json:"replies"`
}

// Reply is one response of the model.
type Reply struct {
	Reasoning string `json:"reasoning,omitempty"`
	Text      string `json:"text,omitempty"`
	Calls     []Call `json:"calls,omitempty"`
	// Stop is the API's own word; empty means the usual one for what was said.
	Stop string `json:"stop,omitempty"`
	// Chunk is the most bytes in a piece of text or reasoning, ArgChunk of
	// arguments; 0 is 12 and all at once.
	Chunk    int    `json:"chunk,omitempty"`
	ArgChunk int    `json:"arg_chunk,omitempty"`
	DelayMS  int    `json:"delay_ms,omitempty"` // before each piece of text or reasoning
	FirstMS  int    `json:"first_ms,omitempty"` // before the first byte
	Usage    *Usage `json:"usage,omitempty"`    // nil: counted from the bytes
	Fault    *Fault `json:"fault,omitempty"`
}

// Call is one tool call of a reply. An empty ID becomes one that is unique in its dialog.
type Call struct {
	ID   string `json:"id,omitempty"`
	Name string `json:"name"`
	Args Args   `json:"args"`
}

// Args are the exact bytes of a call's arguments. In a script file they are
// either a JSON object, taken as it stands, or a string that holds the bytes.
type Args string

// UnmarshalJSON takes an object as its bytes and a string as its content.
func (a *Args) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		var s string
		err := json.Unmarshal(b, &s)
		*a = Args(s)
		return err
	}
	*a = Args(b)
	return nil
}

// Usage is what the mock says it counted. In includes Cached and Written, as
// OpenAI counts; the Messages format tells them apart.
type Usage struct {
	In        int `json:"in"`
	Out       int `json:"out"`
	Cached    int `json:"cached,omitempty"`
	Written   int `json:"written,omitempty"`
	Reasoning int `json:"reasoning,omitempty"`
}

// Fault makes a reply fail.
type Fault struct {
	// Kind is one of status (no stream at all), cut (the connection breaks), end
	// (the stream ends without its terminal event), stall (nothing more comes),
	// malformed (half a JSON object), error (the API's error event).
	Kind       string `json:"kind"`
	After      int    `json:"after,omitempty"` // events sent before it strikes
	Times      int    `json:"times,omitempty"` // how often in all; 0 is always
	Status     int    `json:"status,omitempty"`
	RetryAfter string `json:"retry_after,omitempty"`
	Type       string `json:"type,omitempty"`    // the error's type or code, as the API names it
	Message    string `json:"message,omitempty"` // and its words
}

// replies are those for a dialog that begins with first.
func (s *Script) replies(first string) []Reply {
	for i := range s.Cases {
		if strings.Contains(first, s.Cases[i].When) {
			return s.Cases[i].Replies
		}
	}
	return s.Replies
}
