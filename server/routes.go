package server

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gorilla/mux"
)

// route is one line of the table. The router, the door, the answers to wrong
// methods and openapi.json are all made from it.
type route struct {
	method  string
	path    string
	handle  func(*server, http.ResponseWriter, *http.Request) error
	summary string

	open   bool   // needs no token
	prefix string // of an open route's paths, where there are many
	hidden bool   // the window's own files: not part of the interface for programs
	query  []string
	body   any      // the JSON object that it takes: a value of its struct
	answer any      // the JSON that it gives: a value of its type
	gives  []string // other media types that it gives
	takes  []string // other media types that it takes
}

// Media types beside JSON.
const (
	eventStream = "text/event-stream"
	zipType     = "application/zip"
)

// routes is the whole interface.
func routes() []route {
	return []route{
		{method: "GET", path: "/", handle: (*server).getShell, open: true, hidden: true},
		{method: "GET", path: "/vibey-client.js", handle: (*server).getAsset, open: true, hidden: true},
		{method: "GET", path: "/favicon.ico", handle: (*server).getIcon, open: true, hidden: true},
		{method: "GET", path: "/assets/{name}", prefix: "/assets/", handle: (*server).getAsset, open: true, hidden: true},
		{method: "POST", path: "/login", handle: (*server).login, open: true, body: loginBody{}, answer: loginAnswer{},
			summary: "Trade a one-time code for the token."},

		{method: "GET", path: "/projects", handle: (*server).listProjects, answer: []string{},
			summary: "The projects' names, sorted."},
		{method: "POST", path: "/projects", handle: (*server).postProjects, body: newProject{}, answer: projectName{},
			query: []string{"name"}, takes: []string{zipType},
			summary: "Create a project; or restore one, under ?name=, from a snapshot sent as application/zip."},
		{method: "DELETE", path: "/projects/{project}", handle: (*server).deleteProject,
			summary: "Stop the project's agents and delete its folder. What a linked deed points at stays."},

		{method: "GET", path: "/project/{project}/files", handle: (*server).listFiles, answer: []string{},
			summary: "All .md files, newest first."},
		{method: "GET", path: "/project/{project}/file/{name}", handle: (*server).getFile, answer: fileText{},
			summary: "One file. Its ETag is the SHA-256 of its bytes; If-None-Match gives 304."},
		{method: "POST", path: "/project/{project}/file/{name}", handle: (*server).postFile, body: fileContent{}, answer: savedFile{},
			summary: "Write a file. With If-Match that lost the race, or If-None-Match: * where it is there, 409 with both versions."},
		{method: "DELETE", path: "/project/{project}/file/{name}", handle: (*server).deleteFile,
			summary: "Delete a file, with If-Match only as it was read. A dialog must not be active."},
		{method: "POST", path: "/project/{project}/confirm", handle: (*server).confirmWish, body: confirmBody{}, answer: savedFile{},
			summary: "Confirm the control block of doc-main.md, as it was read under that ETag, for all new dialogs."},

		{method: "POST", path: "/project/{project}/dialog/new", handle: (*server).newDialog, body: draftBody{}, answer: draft{},
			summary: "Create a waiting dialog without a word in it."},
		{method: "POST", path: "/project/{project}/dialog", handle: (*server).postDialog, body: startBody{}, gives: []string{eventStream},
			summary: "Create a dialog and run its first turn."},
		{method: "PUT", path: "/project/{project}/dialog", handle: (*server).putDialog, body: changeBody{}, answer: dialogState{}, gives: []string{eventStream},
			summary: "Prompt, decide, continue, stop or finish a dialog. A stream where something runs, JSON otherwise."},
		{method: "GET", path: "/project/{project}/dialogs", handle: (*server).listDialogs, answer: []dialogItem{},
			summary: "All dialogs, newest first."},
		{method: "GET", path: "/project/{project}/dialog/{id}", handle: (*server).getDialog, answer: dialogView{},
			query:   []string{"markdown", "from", "limit"},
			summary: "One dialog: its text, its sections, and the calls that wait. ?markdown=0 leaves the text out; from and limit take a window of sections."},
		{method: "GET", path: "/project/{project}/dialog/{id}/stream", handle: (*server).joinDialog, gives: []string{eventStream}, query: []string{"last"},
			summary: "Follow a dialog: what its file holds, then what comes. Last-Event-ID or ?last= resumes."},
		{method: "GET", path: "/project/{project}/dialog/{id}/target/{call}", handle: (*server).getTarget, answer: targetFile{},
			summary: "The file that a call of the dialog would write, as it is now; content where it is text of at most 5 MiB."},

		{method: "GET", path: "/project/{project}/events", handle: (*server).watchProject, gives: []string{eventStream},
			summary: "Follow a project: which files and dialogs change."},
		{method: "GET", path: "/project/{project}/deed/{path:.+}", handle: (*server).getDeed, gives: []string{"image/*"},
			summary: "A picture of the deed: png, jpeg, gif, webp, bmp or ico."},
		{method: "GET", path: "/project/{project}/snapshot", handle: (*server).getSnapshot, gives: []string{zipType}, query: []string{"scope"},
			summary: "The project as a zip; scope is docs, dialogs (docs too) or all (the deed too)."},

		{method: "GET", path: "/models", handle: (*server).listModels, answer: []providerModels{},
			summary: "What each configured provider can be asked for."},
		{method: "POST", path: "/keys", handle: (*server).postKey, body: keyBody{},
			summary: "Keep a provider's key on this machine."},
		{method: "GET", path: "/health", handle: (*server).getHealth, answer: health{},
			summary: "The program's version, and what contains commands."},
		{method: "GET", path: "/openapi.json", handle: (*server).getOpenAPI,
			summary: "This description."},
	}
}

// streams tells whether the route may answer without an end, so that HEAD has
// no meaning for it.
func (r *route) streams() bool { return slices.Contains(r.gives, eventStream) }

// methods are what the route answers to.
func (r *route) methods() []string {
	if r.method == http.MethodGet && !r.streams() {
		return []string{http.MethodGet, http.MethodHead}
	}
	return []string{r.method}
}

// router leads each request to its handler. Paths are taken as they come: one
// that would have to be cleaned is none of ours.
func (s *server) router() http.Handler {
	m := mux.NewRouter().SkipClean(true)
	for i := range s.routes {
		r := &s.routes[i]
		m.Handle(r.path, s.run(r)).Methods(r.methods()...)
	}
	m.NotFoundHandler = s.run(&route{handle: noRoute})
	m.MethodNotAllowedHandler = s.run(&route{handle: (*server).wrongMethod})
	return m
}

func noRoute(*server, http.ResponseWriter, *http.Request) error {
	return refuse(404, "no-route", "There is nothing under this path. GET /openapi.json lists all that there is.")
}

func (s *server) wrongMethod(w http.ResponseWriter, r *http.Request) error {
	allow := strings.Join(s.allowed(r), ", ")
	w.Header().Set("Allow", allow)
	return refuse(405, "wrong-method", "This path does not take "+excerpt(r.Method)+". Nothing was done. It takes: "+allow+".")
}

// allowed are the methods that r's path has.
func (s *server) allowed(r *http.Request) []string {
	var all []string
	for i := range s.routes {
		t := &s.routes[i]
		if t.matches(r.URL.Path) {
			all = append(all, t.methods()...)
		}
	}
	return all
}

// matches tells whether a path is one of the route's.
func (r *route) matches(path string) bool {
	want, have := strings.Split(r.path, "/"), strings.Split(path, "/")
	for i, w := range want {
		switch {
		case i >= len(have):
			return false
		case strings.Contains(w, ":.+"):
			return have[i] != ""
		case strings.HasPrefix(w, "{"):
			if have[i] == "" {
				return false
			}
		case w != have[i]:
			return false
		}
	}
	return len(want) == len(have)
}
