package mcp

import (
	"context"
	"strings"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/server/project"
)

// listMost is how many entries a list has at most: those written last.
const listMost = 200

type noArgs struct{}

type inProject struct {
	Project string `json:"project" jsonschema:"the project, as list_projects names it"`
}

type inDoc struct {
	inProject
	Name string `json:"name" jsonschema:"the doc, such as doc-main.md"`
	From int    `json:"from,omitempty" jsonschema:"the byte at which to begin: the next of the part before"`
}

type inDialog struct {
	inProject
	DialogID string `json:"dialogId" jsonschema:"the dialog, as list_dialogs names it"`
	From     int    `json:"from,omitempty" jsonschema:"the byte at which to begin: the next of the part before"`
}

type inSearch struct {
	inProject
	Q string `json:"q" jsonschema:"the text to search for, within one line, whatever its case"`
}

type projectItem struct {
	Name    string `json:"name"`
	Title   string `json:"title" jsonschema:"what people call it"`
	Waiting int    `json:"waiting" jsonschema:"dialogs that wait for a human's decision or Continue"`
	Active  int    `json:"active" jsonschema:"dialogs that work now"`
}

type projectList struct {
	Projects []projectItem `json:"projects"`
	More     bool          `json:"more" jsonschema:"there are others behind these"`
}

type docList struct {
	Docs   []string          `json:"docs" jsonschema:"their names, newest first; doc-main.md leads"`
	Titles map[string]string `json:"titles" jsonschema:"by their names, what people call those that have a title"`
	More   bool              `json:"more" jsonschema:"there are others behind these"`
}

type docText struct {
	Name string `json:"name"`
	page
}

type dialogItem struct {
	DialogID string `json:"dialogId"`
	Status   string `json:"status" jsonschema:"active, waiting or done"`
	Needs    string `json:"needs" jsonschema:"approval or continue: a human's; reply: a message; none"`
	Title    string `json:"title"`
	Words    string `json:"words" jsonschema:"what it wants, or its last words"`
	From     string `json:"from,omitempty" jsonschema:"the dialog that launched it"`
	MTime    string `json:"mtime"`
}

type dialogList struct {
	Dialogs []dialogItem `json:"dialogs" jsonschema:"the one written last first"`
	More    bool         `json:"more" jsonschema:"there are others behind these"`
}

type dialogText struct {
	DialogID string `json:"dialogId"`
	Status   string `json:"status" jsonschema:"active, waiting or done"`
	Needs    string `json:"needs" jsonschema:"approval or continue: a human's; reply: a message; none"`
	Title    string `json:"title"`
	page
}

type hits struct {
	Results []project.SearchResult `json:"results"`
	More    bool                   `json:"more" jsonschema:"there are others behind these"`
}

// addReading gives the server the tools that only read.
func (s *Server) addReading() {
	add(s, tool[noArgs, projectList]{name: "list_projects", text: "List the projects, and how many of their dialogs wait for a human or work.", answer: s.listProjects})
	add(s, tool[inProject, docList]{name: "list_docs", text: "List a project's docs: markdown that says what is to be made. doc-main.md leads.", answer: within(s, s.listDocs)})
	add(s, tool[inDoc, docText]{name: "read_doc", text: "Read a doc. A long one comes in parts: send next as from.", answer: within(s, s.readDoc)})
	add(s, tool[inSearch, hits]{name: "search", text: "Find the lines of a project's docs and dialogs that hold a text.", answer: within(s, s.search)})
	add(s, tool[inProject, dialogList]{name: "list_dialogs", text: "List a project's dialogs, newest first: what each agent did, and what it needs.", answer: within(s, s.listDialogs)})
	add(s, tool[inDialog, dialogText]{name: "read_dialog", text: "Read a dialog as markdown: every message, thought, tool call and result. A long one comes in parts: send next as from.", answer: within(s, s.readDialog)})
}

func (s *Server) project(name string) (*project.Project, error) {
	if !project.ValidProject(name) {
		return nil, bad("project is %q, which is no name of one; list_projects tells them", dialog.Cut(name, 100))
	}
	return s.Store.Project(name)
}

// within returns a tool's answer as of the project that its arguments name.
func within[In interface{ project() string }, Out any](s *Server, answer func(context.Context, *project.Project, In) (Out, error)) func(context.Context, In) (Out, error) {
	return func(ctx context.Context, in In) (out Out, err error) {
		p, err := s.project(in.project())
		if err != nil {
			return out, err
		}
		return answer(ctx, p, in)
	}
}

func (in inProject) project() string { return in.Project }

func (s *Server) listProjects(ctx context.Context, _ noArgs) (projectList, error) {
	out := projectList{Projects: []projectItem{}}
	names, err := s.Store.Projects()
	if err != nil {
		return out, err
	}
	if len(names) > listMost {
		names, out.More = names[:listMost], true
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		p, err := s.Store.Project(name)
		if err != nil {
			continue // deleted since it was listed
		}
		one := projectItem{Name: name, Title: s.masked(p.Title())}
		if one.Waiting, one.Active, err = p.Needs(); err != nil {
			s.Log.Warn("what a project needs is not known", "project", name, "err", err)
		}
		out.Projects = append(out.Projects, one)
	}
	return out, nil
}

func (s *Server) listDocs(_ context.Context, p *project.Project, in inProject) (docList, error) {
	out := docList{Docs: []string{}, Titles: map[string]string{}}
	files, err := p.TitledFiles()
	if err != nil {
		return out, err
	}
	for _, f := range files {
		if _, _, is := dialog.ParseName(f.Name); is {
			continue
		}
		if out.More = len(out.Docs) == listMost; out.More {
			break
		}
		out.Docs = append(out.Docs, f.Name)
		if f.Title != f.Name {
			out.Titles[f.Name] = s.masked(f.Title)
		}
	}
	return out, nil
}

func (s *Server) readDoc(_ context.Context, p *project.Project, in inDoc) (docText, error) {
	if _, _, is := dialog.ParseName(in.Name); is {
		return docText{}, bad("%s is a dialog; read it with read_dialog", in.Name)
	}
	f, err := p.ReadFile(in.Name)
	if err != nil {
		return docText{}, err
	}
	out := docText{Name: f.Name}
	out.page, err = pageOf(s.masked(grant.Unmarked(f.Content)), in.From)
	return out, err
}

// masked returns a text without secrets and without invalid UTF-8, as another program may read it.
func (s *Server) masked(text string) string {
	return s.Clean(strings.ToValidUTF8(text, "\uFFFD"))
}

// search finds lines as the window does. The mark of a confirmed wish, which no model
// is told, is masked.
func (s *Server) search(ctx context.Context, p *project.Project, in inSearch) (hits, error) {
	out := hits{Results: []project.SearchResult{}}
	const most = 50
	q := project.Query{Text: in.Q, Docs: true, Dialogs: true, Most: most}
	if problem := q.Problem(); problem != "" {
		return out, bad("q %s", problem)
	}
	found, more, err := p.Search(ctx, q)
	if err != nil {
		return out, err
	}
	out.More = more
	for _, h := range found {
		if h.DialogID == "" && len(grant.Marks(h.Text)) > 0 {
			continue
		}
		h.Text = s.masked(h.Text)
		out.Results = append(out.Results, h)
	}
	return out, nil
}

func (s *Server) listDialogs(_ context.Context, p *project.Project, in inProject) (dialogList, error) {
	out := dialogList{Dialogs: []dialogItem{}}
	all, err := p.Dialogs()
	if err != nil {
		return out, err
	}
	if len(all) > listMost {
		all, out.More = all[:listMost], true
	}
	for _, d := range all {
		out.Dialogs = append(out.Dialogs, dialogItem{
			d.ID, string(d.Status), d.Needs, s.masked(d.Title), s.masked(d.Words), d.From, d.ModTime.UTC().Format(time.RFC3339),
		})
	}
	return out, nil
}

func (s *Server) readDialog(_ context.Context, p *project.Project, in inDialog) (dialogText, error) {
	v, err := s.Turns.View(p, in.DialogID)
	if err != nil {
		return dialogText{}, err
	}
	out := dialogText{DialogID: v.DialogID, Status: string(v.Status), Needs: string(v.Needs), Title: s.masked(v.Title)}
	out.page, err = pageOf(s.masked(v.Text), in.From)
	return out, err
}
