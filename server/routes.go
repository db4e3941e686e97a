package server

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/mux"

	"vibey/server/project"
	"vibey/server/turn"
	"vibey/tools/caught"
)

// handler answers one request, or returns an error before it has begun to.
type handler func(*server, http.ResponseWriter, *http.Request) error

// projectHandler is a handler that is given the project that the path names.
type projectHandler = func(*server, http.ResponseWriter, *http.Request, *project.Project) error

// withBody reads the request's body, one JSON object, for h.
func withBody[B any](h func(*server, http.ResponseWriter, *http.Request, *project.Project, B) error) projectHandler {
	return func(s *server, w http.ResponseWriter, r *http.Request, p *project.Project) error {
		var body B
		if err := readJSON(w, r, &body); err != nil {
			return err
		}
		return h(s, w, r, p, body)
	}
}

// inProject makes a handler of h, which is given the project that the path names.
func inProject(h projectHandler) handler {
	return func(s *server, w http.ResponseWriter, r *http.Request) error {
		name := mux.Vars(r)["project"]
		if !project.ValidProject(name) {
			return project.ErrName
		}
		p, err := s.Store.Project(name)
		if err != nil && acts(r) {
			if moved := s.Store.Moved(name); moved != nil { // nothing is written, and what runs there can be stopped
				p, err = moved, nil
			}
		}
		if err != nil {
			return err
		}
		if a, ok := w.(*answer); ok && a.valid != nil {
			a.valid = p.Stands // of this folder, whatever has its name by then
		}
		return h(s, w, r, p)
	}
}

// route is one line of the table. The router, the door, the answers to wrong
// methods and openapi.json are all made from it.
type route struct {
	method  string
	path    string
	handle  handler
	summary string

	open   bool     // needs no token
	prefix string   // of an open route's paths, if there are many
	hidden bool     // left out of openapi.json: a file of the window
	query  []string // names of the query's parameters
	body   any      // the JSON object in the request: a value of its struct
	answer any      // the JSON in the answer: a value of its type
	made   any      // the JSON in an answer of 201: a value of its type
	gives  []string // other media types of the answer
	takes  []string // other media types of the request
	most   int64    // bytes of the request's body; 0 for bodyMax

	at *mux.Route // set by router
}

// Media types beside JSON.
const (
	eventStream = "text/event-stream"
	zipType     = "application/zip"
	pageType    = "text/html"
)

// routes returns the table of all routes.
func routes() []route {
	return []route{
		{method: "GET", path: "/", handle: (*server).getShell, open: true, hidden: true},
		{method: "GET", path: "/vibey-client.js", handle: (*server).getAsset, open: true, hidden: true},
		{method: "GET", path: "/favicon.ico", handle: (*server).getIcon, open: true, hidden: true},
		{method: "GET", path: "/assets/{name}", prefix: "/assets/", handle: (*server).getAsset, open: true, hidden: true},
		{method: "POST", path: "/login", handle: (*server).login, open: true, body: loginBody{}, answer: loginAnswer{},
			summary: "Trade a one-time code for the token."},

		{method: "GET", path: "/projects", handle: (*server).listProjects, answer: oneOf{[]string{}, []project.Titled{}, []projectNeeds{}}, query: []string{"needs", "titles"},
			summary: "The projects' names, sorted; with ?titles=1 each with its title; with ?needs=1 each with how many of its dialogs wait for a human and how many work."},
		{method: "POST", path: "/projects", handle: (*server).postProjects, body: newProject{}, answer: projectName{}, made: project.Titled{},
			query: []string{"name"}, takes: []string{zipType},
			summary: "Create a project, under a name or under one that is made of a title (201); or restore one, under ?name=, from a snapshot sent as application/zip."},
		{method: "DELETE", path: "/projects/{project}", handle: inProject((*server).deleteProject),
			summary: "Stop the project's agents and delete its folder. What a linked deed points at stays."},

		{method: "GET", path: "/project/{project}/files", handle: inProject((*server).listFiles), answer: oneOf{[]string{}, []project.Titled{}}, query: []string{"titles"},
			summary: "All .md files, newest first; with ?titles=1 each with its title: a doc's first heading of level 1, else the name."},
		{method: "POST", path: "/project/{project}/files", handle: inProject((*server).postAttached), made: project.Attached{}, answer: project.Attached{},
			query: []string{"name"}, takes: []string{octets}, most: project.AttachedMost,
			summary: "Add the file that is the body, whatever its Content-Type says: png, jpeg, gif, webp, svg, pdf or text, by its bytes. 200 where the project has these bytes already, with their path."},
		{method: "GET", path: "/project/{project}/files/{name}", handle: inProject((*server).getAttached), gives: []string{octets, "image/*"},
			summary: "A file that was added, with the media type of its bytes. Its ETag is their SHA-256."},
		{method: "POST", path: "/project/{project}/file", handle: inProject(withBody((*server).postPage)), body: newPage{}, made: project.Titled{},
			summary: "Make a doc of a title, which is its heading; the file's name is made of it, and is none that is there."},
		{method: "GET", path: "/project/{project}/file/{name}", handle: inProject((*server).getFile), answer: fileText{},
			summary: "One file. Its ETag is the SHA-256 of its bytes; If-None-Match gives 304."},
		{method: "POST", path: "/project/{project}/file/{name}", handle: inProject((*server).postFile), body: fileContent{}, answer: savedFile{},
			summary: "Write a file. With If-Match that lost the race, or If-None-Match: * where it is there, 409 with both versions."},
		{method: "DELETE", path: "/project/{project}/file/{name}", handle: inProject((*server).deleteFile),
			summary: "Delete a file, with If-Match only as it was read. A dialog must not be active."},
		{method: "GET", path: "/project/{project}/file/{name}/page", handle: inProject((*server).getFilePage), gives: []string{pageType}, query: []string{"comments"},
			summary: "A doc as a page to read, print and give away: HTML that runs no script and fetches nothing. ?comments=0 leaves its comments out."},
		{method: "GET", path: "/project/{project}/file/{name}/history", handle: inProject((*server).getHistory), answer: docHistory{},
			summary: "The versions of a doc, oldest first, each with who made it, as far as that is known; and of which version each line is, -1 where that can't be told."},
		{method: "GET", path: "/project/{project}/file/{name}/history/{sha256}", handle: inProject((*server).getVersion), answer: fileText{},
			summary: "A doc as it was in one of these versions, if its bytes are kept."},
		{method: "GET", path: "/project/{project}/unlisted", handle: inProject((*server).listUnlisted), answer: []unlistedText{},
			summary: "The texts at the project's top that can't be a page as they are, why, and the name of the doc that can be made of each."},
		{method: "POST", path: "/project/{project}/unlisted", handle: inProject(withBody((*server).takeIn)), body: takenIn{}, made: savedFile{},
			summary: "Make a doc of such a text, which stays where it is."},
		{method: "POST", path: "/project/{project}/confirm", handle: inProject(withBody((*server).confirmWish)), body: confirmBody{}, answer: savedFile{},
			summary: "Confirm the control block of doc-main.md, as it was read under that ETag, for all new dialogs."},
		{method: "GET", path: "/project/{project}/rules", handle: inProject((*server).getRules), answer: rulesView{},
			summary: "What doc-main.md lets agents do, spend, and be checked by, in plain words; and the wish of its control block, with the ETag that confirms it."},

		{method: "POST", path: "/project/{project}/dialog/new", handle: inProject(withBody((*server).newDialog)), body: draftBody{}, answer: draft{},
			summary: "Create a waiting dialog without a word in it."},
		{method: "POST", path: "/project/{project}/dialog", handle: inProject(withBody((*server).postDialog)), body: startBody{}, gives: []string{eventStream},
			summary: "Create a dialog and run its first turn."},
		{method: "PUT", path: "/project/{project}/dialog", handle: inProject(withBody((*server).putDialog)), body: changeBody{}, answer: dialogState{}, gives: []string{eventStream},
			summary: "Prompt, decide, continue, stop, finish or name a dialog. A stream where something runs, JSON otherwise."},
		{method: "POST", path: "/project/{project}/undo", handle: inProject(withBody((*server).postUndo)), body: undoBody{}, answer: undone{},
			summary: "Take back what a call changed, a hunk of that, or all calls of a turn; by the id of an undo, that; by the id of a Summary, it: the model reads again what it stood for."},
		{method: "GET", path: "/project/{project}/dialogs", handle: inProject((*server).listDialogs), answer: []dialogItem{},
			summary: "All dialogs, newest first, each with its title, what it wants or said last, and what it used."},
		{method: "GET", path: "/project/{project}/dialog/{id}", handle: inProject((*server).getDialog), answer: dialogView{},
			query:   []string{"markdown", "from", "limit"},
			summary: "One dialog: its text, its sections, and the calls that wait. ?markdown=0 leaves the text out; from and limit take a window of sections."},
		{method: "GET", path: "/project/{project}/dialog/{id}/stream", handle: inProject((*server).joinDialog), gives: []string{eventStream}, query: []string{"last"},
			summary: "Follow a dialog: what its file holds, then what comes. Last-Event-ID or ?last= resumes."},
		{method: "GET", path: "/project/{project}/dialog/{id}/page", handle: inProject((*server).getDialogPage), gives: []string{pageType},
			summary: "A dialog as a page to read, print and give away, what models thought and tools did folded."},
		{method: "GET", path: "/project/{project}/dialog/{id}/changes/{of}", handle: inProject((*server).getChanges), answer: []turn.CallChange{},
			summary: "What a call, or all calls behind a message, made of files: for each the lines that changed, as POST undo takes them back, and three around them."},
		{method: "POST", path: "/project/{project}/dialog/{id}/fork", handle: inProject(withBody((*server).postFork)), body: forkBody{}, made: dialogItem{},
			summary: "Make a waiting dialog of a dialog's text up to the end of the section at, without its approvals. Calls that have no result there get one: not run."},
		{method: "POST", path: "/project/{project}/dialog/{id}/intent", handle: inProject(withBody((*server).postIntent)), body: intentBody{}, answer: intentAnswer{},
			summary: "How much work a text would be as the dialog's next prompt, by its words: its intent, \"\" where they tell none. Nothing is written."},
		{method: "GET", path: "/project/{project}/dialog/{id}/target/{call}", handle: inProject((*server).getTarget), answer: targetFile{},
			summary: "The file that a call of the dialog would write, as it is now; content where it is text of at most 5 MiB."},
		{method: "GET", path: "/project/{project}/dialog/{id}/effect/{call}", handle: inProject((*server).getEffect), gives: []string{octets, "image/*"}, query: []string{"path", "side"},
			summary: "A file that a tried call changed, while that waits: its bytes before and after, or a link's target; at most 1 MiB, of a picture 8 MiB."},

		{method: "GET", path: "/project/{project}/search", handle: inProject((*server).searchProject), answer: searchAnswer{}, query: []string{"q", "in", "limit"},
			summary: "The lines of docs and dialogs that hold a text, whatever its case, newest file first; in is docs, dialogs or all, limit at most 500 (50 where it is left out)."},
		{method: "GET", path: "/project/{project}/events", handle: inProject((*server).watchProject), gives: []string{eventStream},
			summary: "Follow a project: which files and dialogs change, a dialog with its entry in the list."},
		{method: "GET", path: "/project/{project}/deed", handle: inProject((*server).listDeed), answer: []deedFile{},
			summary: "The files of the deed by path, at most 5,000, in at most 100 folders one in another, without those whose names begin with a dot; links are not followed."},
		{method: "GET", path: "/project/{project}/deed/{path:.+}", handle: inProject((*server).getDeed), gives: []string{"image/*"},
			summary: "A picture of the deed: png, jpeg, gif, webp, bmp or ico."},
		{method: "GET", path: "/project/{project}/preview", handle: inProject((*server).getPreview), answer: previewAddress{},
			summary: "Where the pages of the deed are shown: an address of the preview origin, good until the server stops, for a sandboxed frame of the window."},
		{method: "GET", path: "/project/{project}/screenshot/{name}", handle: inProject((*server).getScreenshot), gives: []string{"image/png"},
			summary: "A picture of a page that an agent has looked at, under the name that the call's result tells."},
		{method: "GET", path: "/project/{project}/snapshot", handle: inProject((*server).getSnapshot), gives: []string{zipType}, query: []string{"scope"},
			summary: "The project as a zip; scope is docs, dialogs (docs too) or all (the deed too)."},

		{method: "GET", path: "/live", handle: (*server).watchAll, gives: []string{eventStream}, query: []string{"watch"},
			summary: "Follow projects and dialogs in one stream, as the window does for all its tabs: ?watch=KEY/project/NAME or KEY/dialog/NAME/ID[/POSITION], often. Each frame names its KEY; open text comes as HTML."},
		{method: "POST", path: "/mcp", handle: (*server).postMCP, body: rpcRequest{}, answer: rpcAnswer{},
			summary: "Vibey as an MCP server, by streamable HTTP without sessions: tools that read docs and dialogs, start dialogs, send prompts, and wait. None of them decides."},
		{method: "GET", path: "/models", handle: (*server).listModels, answer: []providerModels{},
			summary: "What each configured provider can be asked for."},
		{method: "POST", path: "/keys", handle: (*server).postKey, body: keyBody{},
			summary: "Keep a provider's key on this machine."},
		{method: "GET", path: "/health", handle: (*server).getHealth, answer: Health{},
			summary: "The program's version, what contains commands, and the first-run project's dialog while nothing else was begun."},
		{method: "GET", path: "/openapi.json", handle: (*server).getOpenAPI,
			summary: "This description."},
	}
}

// streams reports whether the route may answer without an end, so that HEAD has
// no meaning for it.
func (r *route) streams() bool { return slices.Contains(r.gives, eventStream) }

// methods returns the methods that the route answers to.
func (r *route) methods() []string {
	if r.method == http.MethodGet && !r.streams() {
		return []string{http.MethodGet, http.MethodHead}
	}
	return []string{r.method}
}

// router returns the handler that calls the route of each request. A path that
// would have to be cleaned has none.
func (s *server) router() http.Handler {
	m := mux.NewRouter().SkipClean(true)
	for i := range s.routes {
		r := &s.routes[i]
		r.at = m.Handle(r.path, s.run(r)).Methods(r.methods()...)
	}
	m.NotFoundHandler = s.run(&route{handle: noRoute})
	m.MethodNotAllowedHandler = s.run(&route{handle: (*server).wrongMethod})
	return m
}

// run returns t's handler as net/http's. It answers the error that the handler
// returned or panicked with, and writes one line a request into the log. No act is
// acknowledged unless the folders that it may have written are where they were found.
func (s *server) run(t *route) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w := &answer{ResponseWriter: rw}
		if acts(r) {
			w.valid = func() error { return s.Store.StandsWith(mux.Vars(r)["project"]) }
		}
		begin := time.Now()
		defer func() {
			s.Log.Debug("request", "method", r.Method, "path", r.URL.Path, "status", w.status, "ms", time.Since(begin).Milliseconds())
		}()
		s.do(t, w, r)
		if away := w.away; away != nil { // the answer to an act was withheld
			w.valid, w.away = nil, nil
			s.answerError(w, r, away)
		}
	})
}

func (s *server) do(t *route, w *answer, r *http.Request) {
	if r.ContentLength > cmp.Or(t.most, bodyMax) {
		s.answerError(w, r, tooLarge(r, cmp.Or(t.most, bodyMax)))
		return
	}
	err := caught.Do(func() error { return t.handle(s, w, r) })
	if broken, ok := err.(*caught.Panic); ok {
		s.panicked(w, r, broken)
	} else if err != nil {
		s.answerError(w, r, err)
	}
}

// acts reports whether a request may change something.
func acts(r *http.Request) bool { return r.Method != http.MethodGet && r.Method != http.MethodHead }

// panicked answers a request whose handler panicked. Where the answer has begun, it
// cuts the connection, so that the client does not take a half for a whole.
func (s *server) panicked(w *answer, r *http.Request, broken *caught.Panic) {
	if broken.Value != http.ErrAbortHandler {
		broken.Log(s.Log, "a request", "method", r.Method, "path", r.URL.Path)
	}
	if w.status != 0 {
		panic(http.ErrAbortHandler)
	}
	s.answerError(w, r, broken)
}

func noRoute(*server, http.ResponseWriter, *http.Request) error {
	return refuse(404, "no-route", "There is nothing under this path. GET /openapi.json lists all that there is.")
}

func (s *server) wrongMethod(w http.ResponseWriter, r *http.Request) error {
	allow := strings.Join(s.allowed(r), ", ")
	w.Header().Set("Allow", allow)
	return refuse(405, "wrong-method", "This path does not take "+excerpt(r.Method)+". Nothing was done. It takes: "+allow+".")
}

// allowed returns the methods that r's path has.
func (s *server) allowed(r *http.Request) []string {
	var all []string
	for i := range s.routes {
		var m mux.RouteMatch
		if t := &s.routes[i]; t.at.Match(r, &m) || m.MatchErr == mux.ErrMethodMismatch {
			all = append(all, t.methods()...)
		}
	}
	return all
}
