package server

import (
	"errors"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gorilla/mux"

	"vibey/dialog"
	"vibey/server/project"
)

// fileText is the answer of GET file. Its ETag header is the SHA-256 of the file's bytes.
type fileText struct {
	Name    string `json:"name"`
	Content string `json:"content"`
}

// fileContent is the body of POST file.
type fileContent struct {
	Content *string `json:"content"`
}

// savedFile is the answer to a write. ETag is as in the header, with its quotes.
type savedFile struct {
	Name  string `json:"name"`
	ETag  string `json:"etag"`
	MTime string `json:"mtime"`
	// Problems are lines of the rules in doc-main.md that say nothing known: the
	// text is saved all the same, and they do not hold.
	Problems []dialog.LineProblem `json:"problems,omitempty"`
}

// problemsMost is how many problems of a doc an answer has.
const problemsMost = 200

func (s *server) listFiles(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	titles, err := queryFlag(r, "titles")
	if err != nil {
		return err
	}
	var all any
	if titles {
		all, err = p.TitledFiles()
	} else {
		all, err = p.Files()
	}
	if err != nil {
		return err
	}
	return writeJSON(w, all)
}

func (s *server) getFile(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	f, err := p.ReadFile(mux.Vars(r)["name"])
	if err != nil {
		return err
	}
	tag := quote(f.ETag)
	w.Header().Set("ETag", tag)
	w.Header()["Cache-Control"] = revalidate
	if tagListed(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	if !utf8.ValidString(f.Content) {
		detail := "This file is not UTF-8, so it can't be shown here without changing it. It stands in the folder untouched. Convert it to UTF-8 there."
		if f.Name == project.MainDoc {
			detail += " Until then agents read it garbled, and rules in it may not hold."
		}
		return refuse(409, "not-utf8", detail)
	}
	return writeJSON(w, fileText{f.Name, f.Content})
}

func (s *server) postFile(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	match, err := writeMatch(r)
	if err != nil {
		return err
	}
	var body fileContent
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	if body.Content == nil {
		return badField(`The field "content" is missing.`)
	}
	f, err := p.SaveFile(mux.Vars(r)["name"], *body.Content, match)
	if err != nil {
		return bothVersions(err, *body.Content)
	}
	return s.saved(w, f)
}

// unlistedText is project.Unlisted under its name in openapi.json.
type unlistedText project.Unlisted

func (s *server) listUnlisted(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	all, err := p.Unlisted()
	if err != nil {
		return err
	}
	return writeJSON(w, all)
}

// takenIn is the body of POST unlisted.
type takenIn struct {
	Name string `json:"name"`
	As   string `json:"as"`
}

func (s *server) takeIn(w http.ResponseWriter, _ *http.Request, p *project.Project, body takenIn) error {
	for _, f := range [][2]string{{"name", body.Name}, {"as", body.As}} {
		if f[1] == "" {
			return badField("The field %q is missing or empty.", f[0])
		}
	}
	f, err := p.TakeIn(body.Name, body.As)
	if err != nil {
		return err
	}
	return writeCreated(w, s.savedFile(w, f))
}

func (s *server) deleteFile(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	match, err := ifMatch(r)
	if err != nil {
		return err
	}
	name := mux.Vars(r)["name"]
	if err := p.DeleteFile(name, match); err != nil {
		return bothVersions(err, "")
	}
	if id, _, ok := dialog.ParseName(name); ok {
		s.Turns.EndAgent(p, id)
	}
	return noContent(w)
}

// confirmBody is the body of POST confirm. ETag is the version that was read.
type confirmBody struct {
	ETag string `json:"etag"`
}

// confirmWish makes the control block of doc-main.md hold in every new dialog, for
// a human who has read it.
func (s *server) confirmWish(w http.ResponseWriter, _ *http.Request, p *project.Project, body confirmBody) error {
	if body.ETag == "" {
		return badField(`The field "etag" is missing or empty: it names the text that was read.`)
	}
	f, err := s.Turns.Confirm(p, strings.Trim(body.ETag, `"`))
	if err != nil {
		return err
	}
	return s.saved(w, f)
}

// saved answers a write.
func (s *server) saved(w http.ResponseWriter, f project.File) error {
	return writeJSON(w, s.savedFile(w, f))
}

// savedFile returns the answer to a write, and sets its header.
func (s *server) savedFile(w http.ResponseWriter, f project.File) savedFile {
	tag := quote(f.ETag)
	w.Header().Set("ETag", tag)
	out := savedFile{Name: f.Name, ETag: tag, MTime: f.ModTime.UTC().Format(time.RFC3339Nano)}
	out.Problems = dialog.FirstProblems(s.Turns.Problems(f.Name, f.Content), problemsMost)
	return out
}

var revalidate = []string{"no-cache"}

func quote(etag string) string { return `"` + etag + `"` }

// ifMatch returns the one ETag of If-Match without quotes, "*", or "" for none.
func ifMatch(r *http.Request) (string, error) {
	all := r.Header.Values("If-Match")
	if len(all) == 0 {
		return "", nil
	}
	v := strings.TrimSpace(strings.Join(all, ","))
	if v == "*" {
		return v, nil
	}
	tag := strings.Trim(v, `"`)
	if len(tag) != 64 || strings.Trim(tag, "0123456789abcdef") != "" {
		return "", refuse(400, "bad-header", "If-Match is none of this server's ETags. Nothing was done. Send the ETag that came with the file, as it came.")
	}
	return tag, nil
}

// writeMatch is ifMatch for a write, which may ask for a file that does not exist:
// "If-None-Match: *" is project.Absent.
func writeMatch(r *http.Request) (string, error) {
	match, err := ifMatch(r)
	if err != nil {
		return "", err
	}
	all := r.Header.Values("If-None-Match")
	switch none := strings.TrimSpace(strings.Join(all, ",")); {
	case len(all) == 0:
		return match, nil
	case none != "*":
		return "", refuse(400, "bad-header", `If-None-Match can only be "*" with a write. Nothing was done.`)
	case match != "":
		return "", refuse(400, "bad-header", "If-Match and If-None-Match can't both hold. Nothing was done. Send If-None-Match: * to make a file, If-Match to change one.")
	}
	return project.Absent, nil
}

// tagListed reports whether list, an If-None-Match header, has tag.
func tagListed(list, tag string) bool {
	for one := range strings.SplitSeq(list, ",") {
		one = strings.TrimSpace(one)
		if one == "*" || strings.TrimPrefix(one, "W/") == tag {
			return true
		}
	}
	return false
}

// bothVersions returns the problem of a lost race, which holds the file as it is
// and the text that was to be written, so that none of it is lost. Any other error
// it returns as it is.
func bothVersions(err error, yours string) error {
	c, ok := errors.AsType[*project.ConflictError](err)
	if !ok {
		return err
	}
	p := &problem{status: 409, kind: "conflict",
		detail: "This file was changed by somebody else since you read it. Nothing was written: both versions are in this answer. Put them together and write with the ETag given here."}
	current, etag := &c.Current.Content, new(quote(c.Current.ETag))
	if c.Current.ETag == "" {
		p.detail = "This file was deleted by somebody else since you read it. Nothing was written. To make it anew, write without If-Match."
		current, etag = nil, nil
	}
	p.lost = problemDetails{Yours: &yours, Current: &current, ETag: &etag}
	return p
}
