package server

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"regexp"
	"time"

	"github.com/gorilla/mux"

	"vibey/server/project"
)

// screenshotName is the form of the names in the results of browser_console and
// request_visual_qa.
var screenshotName = regexp.MustCompile(`^[0-9a-f]{16}\.png$`)

// privateImmutable lets a browser keep what never changes under its name, and no proxy.
var privateImmutable = []string{"private, max-age=31536000, immutable"}

func (s *server) getScreenshot(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	name := mux.Vars(r)["name"]
	if !screenshotName.MatchString(name) {
		return refuse(400, "bad-name", "This is no name of a picture, which is 16 of the digits 0-9 and a-f, and .png. Nothing was read.")
	}
	picture, err := s.Turns.Screenshot(p.Name(), name)
	if errors.Is(err, fs.ErrNotExist) {
		return refuse(404, "not-found", "This picture is no longer kept: of each project the newest are, and a command may have removed it. Nothing else is lost. For a new one, let the agent look at the page again.")
	}
	if err != nil {
		return err
	}
	h := w.Header()
	h["Content-Type"] = []string{"image/png"}
	h["Cache-Control"] = privateImmutable
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(picture))
	return nil
}
