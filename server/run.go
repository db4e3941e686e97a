package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/gorilla/mux"

	"vibey/dialog/jsontext"
	"vibey/server/project"
	"vibey/tools/caught"
)

// run makes a handler of a route: what it errs with is answered once, what
// panics harms this request alone, and each request is one line in the log.
func (s *server) run(t *route) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w := &answer{ResponseWriter: rw}
		begin := time.Now()
		defer func() {
			s.Log.Debug("request", "method", r.Method, "path", r.URL.Path, "status", w.status, "ms", time.Since(begin).Milliseconds())
		}()
		if r.ContentLength > bodyMax {
			s.answerError(w, r, tooLarge())
			return
		}
		err := caught.Do(func() error { return t.handle(s, w, r) })
		if broken, ok := err.(*caught.Panic); ok {
			s.panicked(w, r, broken)
		} else if err != nil {
			s.answerError(w, r, err)
		}
	})
}

// panicked answers a request whose handler broke; where the answer has begun,
// the connection is cut so that nobody takes a half for a whole.
func (s *server) panicked(w *answer, r *http.Request, broken *caught.Panic) {
	if broken.Value != http.ErrAbortHandler {
		broken.Log(s.Log, "a request", "method", r.Method, "path", r.URL.Path)
	}
	if w.status != 0 {
		panic(http.ErrAbortHandler)
	}
	s.answerError(w, r, broken)
}

// answer remembers whether an answer has begun, and with which status.
type answer struct {
	http.ResponseWriter
	status int
}

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	return a.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// writeJSON answers 200 with v.
func writeJSON(w http.ResponseWriter, v any) error {
	b, err := jsontext.Marshal(v)
	if err != nil {
		return err
	}
	writeBytes(w, jsonType, append(b, '\n'))
	return nil
}

func writeBytes(w http.ResponseWriter, contentType []string, b []byte) {
	h := w.Header()
	h["Content-Type"] = contentType
	h["Content-Length"] = []string{strconv.Itoa(len(b))}
	w.Write(b) // an error is a client that left
}

// noContent answers that it is done.
func noContent(w http.ResponseWriter) error {
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// project opens the project that the path names.
func (s *server) project(r *http.Request) (*project.Project, error) {
	name, err := projectOf(r)
	if err != nil {
		return nil, err
	}
	return s.Store.Project(name)
}

// projectOf is the path's project name, if it can be one.
func projectOf(r *http.Request) (string, error) {
	name := mux.Vars(r)["project"]
	if !project.ValidProject(name) {
		return "", project.ErrName
	}
	return name, nil
}
