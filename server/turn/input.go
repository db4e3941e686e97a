package turn

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/provider"
	"vibey/server/project"
)

// Input is what a human or an agent wants of a dialog: the body of a POST or a
// PUT, well-formed but not yet checked against the dialog.
type Input struct {
	Project  *project.Project `json:"-"`
	DialogID string           `json:"dialogId"` // empty for a new dialog
	Status   dialog.Status    `json:"status,omitempty"`
	Prompt   *Prompt          `json:"prompt,omitempty"`  // nil: none
	On       On               `json:"on,omitempty"`      // the passages that the prompt is about
	Control  *string          `json:"control,omitempty"` // nil: none
	Seen     string           `json:"seen,omitempty"`
	Continue bool             `json:"continue,omitempty"`
	Compact  bool             `json:"compact,omitempty"` // the earlier turns are summed up first
	Title    *string          `json:"title,omitempty"`   // nil: none; trimmed by check
	Provider string           `json:"provider,omitempty"`
	Model    string           `json:"model,omitempty"`
	Intent   string           `json:"intent,omitempty"`
	Slug     string           `json:"-"`
	Attached string           `json:"-"` // files that an editor put beside the prompt, whose words are not its author's
	By       string           `json:"-"` // the author of the prompt: "" for a human, or Program
}

// Program is the author of a prompt that came over MCP: a program that a human's token,
// or a human's own command line, let in. Its words are no human's, so they confirm no
// item of the plan, and they decide nothing that a human is asked.
const Program = "mcp"

// author is the author of the prompt, as "By" of its User section names it.
func (in *Input) author() string { return cmp.Or(in.By, "human") }

// Prompt is a human's message: markdown, or JSON kept as it came.
type Prompt struct {
	Text string
	JSON bool
}

// UnmarshalJSON takes a string, which is markdown, or an object, which is kept as its JSON.
func (p *Prompt) UnmarshalJSON(b []byte) error {
	if b[0] == '{' {
		*p = Prompt{Text: string(b), JSON: true}
		return nil
	}
	p.JSON = false
	return json.Unmarshal(b, &p.Text)
}

// JSONType implements jsontext.Worded.
func (Prompt) JSONType() string { return "a string or an object" }

// payload is the prompt as it stands in a User section.
func (p *Prompt) payload() dialog.Payload {
	if p.JSON {
		return dialog.Payload{Type: dialog.InputJSON, Text: p.Text}
	}
	return dialog.Payload{Type: dialog.InputMarkdown, Text: p.Text}
}

// read returns what the model reads of the prompt.
func (p *Prompt) read() string {
	return dialog.UserInput(&dialog.Section{Payloads: []dialog.Payload{p.payload()}})
}

// The ways in which a turn refuses before it begins. The messages are for
// people; the kinds are mapped to a status once, by the server.
var (
	ErrInput    = errors.New("this request can't be carried out")                 // 400
	ErrActive   = errors.New("the dialog is active")                              // 409
	ErrStale    = errors.New("the dialog has moved on since it was read")         // 409
	ErrMoved    = errors.New("the file has changed since it was shown")           // 409
	ErrTags     = errors.New("the dialog can't change how its calls are written") // 409
	ErrNothing  = errors.New("there is nothing to go on with")                    // 409
	ErrDeed     = errors.New("the deed can't be reached")                         // 409
	ErrStopping = errors.New("the server is stopping")                            // 503
)

// refuse makes an error of that kind whose message says what to do.
func refuse(kind error, format string, args ...any) error {
	return &Refusal{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// Refusal is a refused request in words. Message says what is wrong and what to do.
type Refusal struct {
	Kind    error
	Message string
}

func (r *Refusal) Error() string { return r.Kind.Error() + ": " + r.Message }

// Unwrap gives the kind, so that errors.Is finds it.
func (r *Refusal) Unwrap() error { return r.Kind }

// controlMost is how many bytes control text has at most. As it is stored, each line gets a
// hash and is some ten times as long.
const controlMost = 1 << 20

// Check refuses what is wrong in itself, whatever the dialog. The Runner does so too, before
// anything is written.
func (in *Input) Check() error {
	if in.Status != "" && in.Status != dialog.Waiting && in.Status != dialog.Done {
		return refuse(ErrInput, `status is %q; it can be set to "waiting" or "done"`, in.Status)
	}
	if in.Prompt != nil && strings.TrimSpace(in.Prompt.read()) == "" {
		return refuse(ErrInput, "the prompt is empty; write what you want, or leave prompt out")
	}
	if in.Prompt != nil && in.Prompt.hasNUL() || in.Control != nil && strings.IndexByte(*in.Control, 0) >= 0 {
		return refuse(ErrInput, "the text holds a NUL character, which a dialog can't keep; take it out and send the text again. Nothing was done")
	}
	if in.Prompt != nil && len(in.Prompt.Text) > dialog.SectionMost {
		return refuse(ErrInput, "the message has more than 16 MiB. Nothing was done. Put what is long into a file of the deed, and name that in the message")
	}
	if n := len(in.shows()); n > picturesMost {
		return refuse(ErrInput, "the message shows %d pictures, and %d are the most. Nothing was done. Send some of them with the next one", n, picturesMost)
	}
	if in.Control != nil && len(*in.Control) > controlMost {
		return refuse(ErrInput, "the control text has more than 1 MiB. Nothing was decided. Send fewer lines at once")
	}
	if err := in.checkOn(); err != nil {
		return err
	}
	if in.By != "" && (in.Prompt == nil || in.Control != nil || in.Continue || in.Compact || in.Status != "") {
		return refuse(ErrInput, "a program can only send a message; a human decides, stops and continues. Nothing was done")
	}
	if in.Intent != "" && !slices.Contains(grant.Intents, in.Intent) {
		return refuse(ErrInput, "intent is %q; it is one of %s", in.Intent, strings.Join(grant.Intents, ", "))
	}
	if err := in.checkTitle(); err != nil {
		return err
	}
	for _, f := range [...][2]string{{"provider", in.Provider}, {"model", in.Model}} {
		if !dialog.OneLine(f[1]) || len(f[1]) > 300 {
			return refuse(ErrInput, "%s is not one line of at most 300 characters", f[0])
		}
	}
	return nil
}

// checkTitle trims a title. One without a word is refused for a dialog that exists,
// and is none for a new one: a form sends what was not filled in.
func (in *Input) checkTitle() error {
	if in.Title == nil {
		return nil
	}
	title, problem := dialog.CheckTitle(*in.Title)
	switch {
	case problem != "":
		return refuse(ErrInput, "%s. Nothing was done", problem)
	case title == "" && in.DialogID != "":
		return refuse(ErrInput, "the title is empty; write what the dialog is to be called, or leave title out. Nothing was done")
	case title == "":
		in.Title = nil
	default:
		in.Title = &title
	}
	return nil
}

// title is the title of a new dialog, or "".
func (in *Input) title() string {
	if in.Title == nil {
		return ""
	}
	return *in.Title
}

// titleAlone reports whether a request only gives a dialog another title, which a
// running turn does not refuse, and need not know of.
func (in *Input) titleAlone() bool {
	rest := *in
	rest.Title = nil
	return in.Title != nil && rest.empty()
}

// hasNUL reports whether a prompt holds a NUL, in JSON also as an escape.
func (p *Prompt) hasNUL() bool {
	if !p.JSON {
		return strings.IndexByte(p.Text, 0) >= 0
	}
	for dec := json.NewDecoder(strings.NewReader(p.Text)); ; {
		token, err := dec.Token()
		if err != nil {
			return false // its end, or no JSON, which the server refuses before
		}
		if s, ok := token.(string); ok && strings.IndexByte(s, 0) >= 0 {
			return true
		}
	}
}

// refusalText is an error in words for the model that wanted to launch.
func refusalText(err error) string {
	if r, ok := errors.AsType[*Refusal](err); ok {
		return r.Message
	}
	if p, ok := errors.AsType[*provider.Error](err); ok {
		return p.Message
	}
	return err.Error()
}

// empty reports whether a request asks for nothing.
func (in *Input) empty() bool {
	return in.Status == "" && in.Title == nil && in.Prompt == nil && in.Control == nil && !in.Continue && !in.Compact && in.Provider == "" && in.Model == ""
}

// statusAlone reports whether a request only stops a dialog, or marks it as done or
// open again, perhaps under another title: a running turn does not refuse it.
func (in *Input) statusAlone() bool {
	rest := *in
	rest.Status, rest.Title = "", nil
	return in.Status != "" && rest.empty()
}

// step is one thing that a turn does.
type step uint8

// The steps. A request asks for each of them at most once.
const (
	compactStep  step = iota // the earlier turns are summed up
	promptStep               // calls that wait are denied, then the prompt is appended; what is approved is left to an executeStep behind it, or never starts
	executeStep              // calls that are decided run, or get the result of one that can't
	continueStep             // a model that has answered is asked to go on
	askStep                  // calls are answered and the model is asked, until it asks for nothing or a call waits
	denyStep                 // calls that wait are denied
)

// steps are what a request asks of a dialog, in their order. stepsOf decides them before
// anything is done. Without a step the dialog stays as it is, but for a status that the
// request may name; without an askStep the answer is plain and no stream.
type steps []step

func (a steps) streams() bool { return slices.Contains(a, askStep) }
