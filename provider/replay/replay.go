// Package replay plays a recorded dialog as if it were a model: the model's
// name is the path of a dialog file below a folder, and its n-th response
// answers a history that holds n-1 responses. No model is called and nothing
// leaves the machine. It is what a first start without a key shows, and a
// dialog file is its own cassette in tests.
//
// An agent that launches another may name a recording of its own project alone:
// any other would bring that project's words into its own.
//
// A line "> Pace: real" in the cassette's head lets a response take the time
// that it took when it was recorded, 15 s at most.
package replay

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"strings"
	"time"

	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/provider"
	"vibey/provider/wire"
)

// Config says where cassettes are.
type Config struct {
	Dir string // the folder of projects; no path leads out of it
	// Offer is the project whose dialogs Models lists; any other can be named.
	Offer string
	// Sees reports whether a human said of a recording that it sees pictures. Nil: of none.
	Sees func(model string) bool
}

// Provider plays the dialogs below one folder.
type Provider struct{ config Config }

// New returns the provider. The folder is opened anew for each request.
func New(c Config) *Provider { return &Provider{c} }

// Sees implements provider.Seer.
func (p *Provider) Sees(_ context.Context, model string) bool {
	return p.config.Sees != nil && p.config.Sees(model)
}

// API is "replay".
func (p *Provider) API() string { return api }

const (
	api         = "replay"
	maxCassette = 64 << 20
	maxPace     = 15 * time.Second
	pieceBytes  = 24
)

// Models lists the dialogs of the project that is offered.
func (p *Provider) Models(context.Context) ([]provider.Model, error) {
	models := []provider.Model{}
	if p.config.Offer == "" {
		return models, nil
	}
	root, err := os.OpenRoot(p.config.Dir)
	if err != nil {
		return models, nil // no folder yet, so no cassettes
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), p.config.Offer)
	if err != nil {
		return models, nil
	}
	for _, e := range entries {
		if _, _, ok := dialog.ParseName(e.Name()); ok {
			models = append(models, provider.Model{ID: path.Join(p.config.Offer, e.Name())})
		}
	}
	return models, nil
}

// Stream plays the response that is due.
func (p *Provider) Stream(ctx context.Context, r *provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		if !yield(provider.Begin{Prefix: wire.Encode(coder{}, r).Prefix()}, nil) {
			return
		}
		d, err := p.load(r.Model, r.Within)
		if err != nil {
			yield(nil, err)
			return
		}
		all := responses(d)
		n := heard(r.History.Items)
		if n >= len(all) {
			text := fmt.Sprintf("The recording %s ends here. No model was called: what you saw was played from a file. To go on with a model, put in a key or the address of one, and choose it for this dialog.", r.Model)
			if yield(provider.Text{Piece: text}, nil) {
				yield(provider.Finish{Stop: provider.StopEnd, Detail: "end of recording"}, nil)
			}
			return
		}
		play(ctx, all[n], d.Header.Meta.Get("Pace") == "real", yield)
	}
}

// heard counts the responses in a history: what the model said between two
// things that it was told.
func heard(items []history.Item) (n int) {
	said := false
	for i := range items {
		model := wire.By(items[i].Kind) == wire.ByModel
		if model && !said {
			n++
		}
		said = model
	}
	return n
}

// responses are the cassette's: neighbouring sections of the model. One that
// leaves nothing in a history is passed over, or it would be due for ever.
func responses(d *dialog.Dialog) (all [][]dialog.Section) {
	var one []dialog.Section
	end := func() {
		if leavesTrace(one) {
			all = append(all, one)
		}
		one = nil
	}
	for _, s := range d.Sections {
		switch {
		case s.Torn:
		case s.Role == dialog.Reasoning || s.Role == dialog.Assistant || s.Role == dialog.ToolRequest:
			one = append(one, s)
		default:
			end()
		}
	}
	end()
	return all
}

func leavesTrace(sections []dialog.Section) bool {
	for i := range sections {
		s := &sections[i]
		if s.Role == dialog.ToolRequest || s.Role == dialog.Assistant && strings.TrimSpace(s.Text()) != "" {
			return true
		}
	}
	return false
}

// Within returns an error unless model is a recording in that project's folder.
func (p *Provider) Within(project, model string) error {
	_, err := p.load(model, project)
	return err
}

// load reads a cassette. A dialog changes its file's name with its status, so
// the id counts, not the status in the path. Where within names a project, the
// file must be below its folder, with all links followed.
func (p *Provider) load(model, within string) (*dialog.Dialog, error) {
	root, err := os.OpenRoot(p.config.Dir)
	if err != nil {
		return nil, notFound(model, "the folder of projects can't be opened", err)
	}
	defer root.Close()
	file := model
	if within != "" {
		var ok bool
		if file, ok = strings.CutPrefix(path.Clean(model), within+"/"); !ok {
			return nil, notFound(model, "an agent that was launched plays recordings of its own project alone, "+within+"/dialog-….md", nil)
		}
		// The project's own root: a link in it leads nowhere else, not even to its neighbour.
		if root, err = root.OpenRoot(within); err != nil {
			return nil, notFound(model, "the project's folder can't be opened", err)
		}
		defer root.Close()
	}
	var first error
	for _, name := range names(file) {
		text, err := read(root, name)
		if err == nil {
			if !strings.HasPrefix(strings.TrimPrefix(text, "\ufeff"), "# Dialog") {
				return nil, notFound(model, "that file is not a dialog", nil)
			}
			return dialog.Parse(text), nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, notFound(model, "there is no such file below the folder of projects", first)
}

// names is the path itself, then the same dialog with its other statuses.
func names(model string) []string {
	out := []string{model}
	dir, file := path.Split(model)
	if id, st, ok := dialog.ParseName(file); ok {
		for _, other := range []dialog.Status{dialog.Waiting, dialog.Done, dialog.Active} {
			if other != st {
				out = append(out, dir+dialog.Filename(id, other))
			}
		}
	}
	return out
}

func read(root *os.Root, name string) (string, error) {
	f, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s: %w", name, fs.ErrInvalid)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxCassette))
	return string(b), err
}

func notFound(model, why string, err error) error {
	return &provider.Error{
		Kind: provider.KindNotFound, Err: err,
		Message: fmt.Sprintf("The recording %q can't be played: %s. Name a dialog as PROJECT/dialog-….md.", model, why),
	}
}
