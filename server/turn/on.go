package turn

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/dialog/jsontext"
	"vibey/tools"
	"vibey/tools/disk"
)

// Place names a passage of a file: a doc, or a text file of the deed. From and To are bytes
// of the file, which has the hash SHA256, in lowercase hex.
type Place struct {
	File   string `json:"file" jsonschema:"minLength=1"`
	SHA256 string `json:"sha256"`
	From   int    `json:"from" jsonschema:"minimum=0"`
	To     int    `json:"to" jsonschema:"minimum=1"`
}

// On is the passages that a prompt is about, in JSON one Place or a list of at most OnMost.
type On []Place

// OnMost is how many passages a prompt may be about.
const OnMost = 50

// JSONType implements jsontext.Worded.
func (On) JSONType() string {
	return `a passage {"file","sha256","from","to"}, or a list of 1 to 50 of them,`
}

// NotNull implements jsontext.NotNull: a client that sends null meant a passage.
func (On) NotNull() {}

// UnmarshalJSON takes one Place or a list of them, with these fields and no others.
func (o *On) UnmarshalJSON(b []byte) error {
	places := []json.RawMessage{b}
	if b[0] != '{' {
		places = nil
		if err := json.Unmarshal(b, &places); err != nil {
			return err
		}
	}
	if len(places) == 0 || len(places) > OnMost {
		return errors.New("no passage, or too many")
	}
	*o = make(On, len(places))
	for i, raw := range places {
		if err := jsontext.DecodeWhole(raw, &(*o)[i]); err != nil {
			return err
		}
	}
	return nil
}

// checkOn refuses passages that no file has.
func (in *Input) checkOn() error {
	if len(in.On) > 0 && in.Prompt == nil {
		return refuse(ErrInput, "on names what a prompt is about, and there is no prompt. Nothing was written")
	}
	for _, at := range in.On {
		switch {
		case !dialog.IsSHA256(at.SHA256):
			return refuse(ErrInput, "on has sha256 %q, and not the 64 digits of a hash in small letters. Nothing was written", dialog.Cut(at.SHA256, 80))
		case at.From >= at.To:
			return refuse(ErrInput, "on goes from byte %d to byte %d, which is no passage. Nothing was written", at.From, at.To)
		}
	}
	return nil
}

// quote is the gate in which a request's passages are read.
func (t *turn) quote(context.Context) (err error) {
	t.on, err = t.in.passages()
	return err
}

// passages reads the passages that a prompt is about. Each file is read once, so that all of
// its passages are of the same bytes.
func (in *Input) passages() (all []dialog.Passage, err error) {
	if len(in.On) == 0 {
		return nil, nil
	}
	p := in.Project
	env := tools.Env{Project: p.Root(), ProjectDir: p.Root().Name()}
	if env.DeedDir, err = p.DeedDir(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	read := map[string]quotedFile{}
	bytes := len(in.Prompt.Text)
	for _, at := range in.On {
		q, ok := read[at.File]
		if !ok {
			if q, err = readQuoted(env, at.File); err != nil {
				return nil, err
			}
			read[at.File] = q
		}
		one, err := q.passage(at)
		if err != nil {
			return nil, err
		}
		if bytes += len(one.Text); bytes > dialog.SectionMost {
			return nil, refuse(ErrInput, "the message and its passages have more than 16 MiB together. Nothing was written. Choose shorter passages, or fewer")
		}
		all = append(all, one)
	}
	return all, nil
}

// quotedFile is a file as it was read.
type quotedFile struct{ name, text, sha256 string }

func readQuoted(env tools.Env, file string) (q quotedFile, err error) {
	q.name, q.text, err = tools.ReadQuotable(env, file)
	switch named := dialog.Cut(file, 200); {
	case errors.Is(err, tools.ErrUnquotable):
		return q, refuse(ErrInput, "on names %q, and %v. Nothing was written. Name a doc, such as doc-main.md, or a text file below deed/", named, err)
	case errors.Is(err, fs.ErrNotExist):
		return q, refuse(fs.ErrNotExist, "there is no file %q in this project. Nothing was written. Read the list again", named)
	case errors.Is(err, disk.ErrChanged):
		return q, movedPassage(file)
	}
	q.sha256 = dialog.SHA256(q.text)
	return q, err
}

// passage returns the passage of the file that at names.
func (q quotedFile) passage(at Place) (dialog.Passage, error) {
	switch {
	case at.SHA256 != q.sha256:
		return dialog.Passage{}, movedPassage(at.File)
	case at.To > len(q.text):
		return dialog.Passage{}, refuse(ErrInput, "on ends at byte %d of %s, which has %d. Nothing was written", at.To, q.name, len(q.text))
	case !dialog.LetterStarts(q.text, at.From) || !dialog.LetterStarts(q.text, at.To):
		return dialog.Passage{}, refuse(ErrInput, "on goes from byte %d to byte %d of %s, and one of them lies within a letter. Nothing was written", at.From, at.To, q.name)
	case grant.HoldsMark(q.text, at.From, at.To):
		return dialog.Passage{}, refuse(ErrInput, "the passage of %s holds the line that says that you have confirmed its rules, which no model may read. Nothing was written. Choose a passage without it", q.name)
	}
	return dialog.NewPassage(q.name, q.sha256, q.text, at.From, at.To), nil
}

func movedPassage(file string) error {
	return refuse(ErrMoved, "%s has changed since you read it, so the passage may stand elsewhere. Nothing was written. Read it again and send the message with the passage as it stands now", dialog.Cut(file, 200))
}
