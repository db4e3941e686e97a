package server

import (
	"bytes"
	"net/http"
	"unicode/utf8"

	"github.com/gorilla/mux"

	"vibey/dialog"
	"vibey/dialog/why"
	"vibey/server/project"
)

// docHistory is the answer of GET history.
type docHistory struct {
	File     string       `json:"file"`
	SHA256   string       `json:"sha256"` // of the doc as it is
	Versions []docVersion `json:"versions"`
	Lines    []docLines   `json:"lines"`
}

// docVersion is what a doc held from one step on. Kept reports whether its bytes are. Words is
// how many words it has more than the version before, nil where either's bytes are not kept.
type docVersion struct {
	SHA256  string       `json:"sha256"`
	Who     string       `json:"who"`
	Kind    why.Kind     `json:"kind"`
	At      string       `json:"at"`
	Dialog  string       `json:"dialog"`
	Message string       `json:"message"`
	Call    string       `json:"call"`
	Tool    string       `json:"tool"`
	Allowed *why.Allowed `json:"allowed"`
	Kept    bool         `json:"kept"`
	Words   *int         `json:"words"`
}

// docLines are neighbouring lines of one version, counted from 1; Version is its index, or -1.
type docLines struct {
	From    int `json:"from"`
	To      int `json:"to"`
	Version int `json:"version"`
}

func (s *server) getHistory(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	name := mux.Vars(r)["name"]
	h, present, err := s.Turns.History(p, name)
	if err != nil {
		return err
	}
	out := docHistory{name, dialog.SHA256(present), []docVersion{}, []docLines{}}
	words, counted := 0, true // of the version before: none of none
	for i := range h.Versions {
		v := &h.Versions[i]
		d := docVersion{v.SHA256, v.Who(), v.Kind, v.At, v.Dialog, v.Message, v.Call, v.Tool, nil, v.Known, nil}
		if v.Allowed.By != "" {
			d.Allowed = &v.Allowed
		}
		b, known := h.Content(v.SHA256)
		n := wordsIn(b)
		if more := n - words; known && counted {
			d.Words = &more
		}
		words, counted = n, known
		out.Versions = append(out.Versions, d)
	}
	for i, v := range h.Lines {
		if n := len(out.Lines); n > 0 && out.Lines[n-1].Version == v {
			out.Lines[n-1].To = i + 1
		} else {
			out.Lines = append(out.Lines, docLines{i + 1, i + 1, v})
		}
	}
	return writeJSON(w, out)
}

// wordsIn counts the words of a text, without a copy of them.
func wordsIn(b []byte) (n int) {
	for range bytes.FieldsSeq(b) {
		n++
	}
	return n
}

func (s *server) getVersion(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	name, sha := mux.Vars(r)["name"], mux.Vars(r)["sha256"]
	h, _, err := s.Turns.History(p, name)
	if err != nil {
		return err
	}
	b, known := h.Content(sha)
	switch {
	case !known || sha == "":
		return refuse(404, "no-version", "This is no version of the page whose text is kept. What is kept has bounds, and the oldest goes first.")
	case !utf8.Valid(b):
		return refuse(409, "not-utf8", "This version is not UTF-8, so it can't be shown here without changing it.")
	}
	return writeJSON(w, fileText{name, string(b)})
}
