// Package project is the one place that writes docs and dialogs.
package project

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"time"

	"vibey/dialog"
)

var errLater = errors.New("not written yet")

type Options struct {
	Now       func() time.Time
	Log       *slog.Logger
	Template  func(name string) string
	Summarize func(project, dialogID, text string, st dialog.Status) Summary
}

// Summary is what the list of dialogs tells of one, beyond its name.
type Summary struct {
	Needs string // approval | reply | continue | none
	Line  string // what it wants, or its last words; one line, may be ""
}

type Store struct{}

func Open(dir string, o Options) (*Store, error)       { return nil, errLater }
func (s *Store) Close() error                          { return errLater }
func (s *Store) Projects() ([]string, error)           { return nil, errLater }
func (s *Store) Create(name, deed string) error        { return errLater }
func (s *Store) Delete(name string) error              { return errLater }
func (s *Store) Project(name string) (*Project, error) { return nil, errLater }
func (s *Store) Watch(ctx context.Context, project string) (<-chan Change, error) {
	return nil, errLater
}

type Change struct {
	Kind     string `json:"kind"` // files | dialogs | reset
	Name     string `json:"name,omitempty"`
	DialogID string `json:"dialogId,omitempty"`
}

type File struct {
	Name, Content, ETag string
	ModTime             time.Time
}

type Project struct{}

func (p *Project) Name() string                       { return "" }
func (p *Project) Root() *os.Root                     { return nil }
func (p *Project) DeedDir() (string, error)           { return "", errLater }
func (p *Project) Files() ([]string, error)           { return nil, errLater }
func (p *Project) ReadFile(name string) (File, error) { return File{}, errLater }
func (p *Project) WriteFile(name, content, ifMatch string) (File, error) {
	return File{}, errLater
}
func (p *Project) DeleteFile(name, ifMatch string) error { return errLater }
func (p *Project) Dialogs() ([]DialogInfo, error)        { return nil, errLater }
func (p *Project) NewDialog(slug string, now time.Time, h dialog.Header, sections []dialog.Section) (*DialogFile, error) {
	return nil, errLater
}
func (p *Project) OpenDialog(id string) (*DialogFile, error) { return nil, errLater }
func (p *Project) ReadDialog(id string) (DialogText, error)  { return DialogText{}, errLater }

type DialogInfo struct {
	ID       string
	Title    string // the slug in words
	Status   dialog.Status
	Filename string
	ModTime  time.Time
	Summary
}

type DialogText struct {
	ID       string
	Status   dialog.Status
	Filename string
	Text     string
	Open     string
	ModTime  time.Time
}

type DialogFile struct{}

func (f *DialogFile) Dialog() *dialog.Dialog               { return nil }
func (f *DialogFile) ID() string                           { return "" }
func (f *DialogFile) Status() dialog.Status                { return "" }
func (f *DialogFile) Filename() string                     { return "" }
func (f *DialogFile) Size() int64                          { return 0 }
func (f *DialogFile) Append(secs ...dialog.Section) error  { return errLater }
func (f *DialogFile) SetStatus(st dialog.Status) error     { return errLater }
func (f *DialogFile) OpenResponse() (*OpenResponse, error) { return nil, errLater }
func (f *DialogFile) Close() error                         { return errLater }

type OpenResponse struct{}

func (o *OpenResponse) Write(p []byte) (int, error) { return 0, errLater }
func (o *OpenResponse) Len() int64                  { return 0 }
func (o *OpenResponse) Close() error                { return errLater }
func (o *OpenResponse) Discard() error              { return errLater }
