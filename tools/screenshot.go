package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/tools/browser"
	"vibey/tools/disk"
)

// keptMost is how many files of one ending are kept in a folder; the oldest go first.
const keptMost = 50

// pictureSize is the size limit of a picture, in bytes. One of the browser's window has 4.6 MB
// before it is compressed.
const pictureSize = 8 << 20

// keepFile keeps a file in a folder of the project's HOME, under its hash and with that
// ending, and returns its path as a command says it. Of each ending the newest stay. A
// HOME is written by commands: what they put in the way is not followed.
func keepFile(home, folder string, data []byte, ext string) (string, error) {
	if home == "" {
		return "", errors.New("this project has no HOME")
	}
	root, err := os.OpenRoot(home)
	if err != nil {
		return "", err
	}
	defer root.Close()
	dir, err := openChild(root, folder, true)
	if err != nil {
		return "", err
	}
	defer dir.Close()
	name := keptName(data) + ext
	if _, err := disk.Change(dir, name, 0o600, func(*os.File) ([]byte, error) { return data, nil }); err != nil {
		return "", err
	}
	dropOldest(dir, ext, keptMost)
	return "~/" + folder + "/" + name, nil
}

// keptName returns the name that a file is kept under, which its bytes make.
func keptName(data []byte) string {
	return dialog.SHA256(data)[:16]
}

// Screenshot returns the picture that keepFile has kept under a name in a project's
// HOME. It returns fs.ErrNotExist where there is none, and also where a command has put
// something else there: a link, or other bytes than the browser's.
func Screenshot(home, name string) ([]byte, error) {
	root, err := os.OpenRoot(home)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	dir, err := openChild(root, "screenshots", false)
	if err != nil {
		return nil, fs.ErrNotExist // also for a link: nothing is told of what is there
	}
	defer dir.Close()
	f, err := disk.Open(dir, name)
	if errors.Is(err, disk.ErrChanged) { // the same picture was kept again in this moment
		f, err = disk.Open(dir, name)
	}
	if err != nil {
		return nil, fs.ErrNotExist
	}
	defer f.Close()
	picture, err := io.ReadAll(io.LimitReader(f, pictureSize+1))
	if err != nil {
		return nil, err
	}
	if len(picture) > pictureSize || keptName(picture)+".png" != name {
		return nil, fs.ErrNotExist
	}
	return picture, nil
}

// dropOldest removes all files of that ending but the newest.
func dropOldest(dir *os.Root, ext string, most int) {
	f, err := dir.Open(".")
	if err != nil {
		return
	}
	defer f.Close()
	all, _ := f.Readdir(-1)
	all = slices.DeleteFunc(all, func(fi os.FileInfo) bool { return filepath.Ext(fi.Name()) != ext || !fi.Mode().IsRegular() })
	slices.SortFunc(all, func(a, b os.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), strings.Compare(a.Name(), b.Name()))
	})
	for _, fi := range all[min(most, len(all)):] {
		dir.Remove(fi.Name())
	}
}

type browserConsoleInput struct {
	URL         string `json:"url" jsonschema:"minLength=1"`
	Description string `json:"description,omitempty"`
}

type requestVisualQAInput struct {
	URL         string `json:"url" jsonschema:"minLength=1"`
	Question    string `json:"question" jsonschema:"minLength=1"`
	Description string `json:"description,omitempty"`
}

// looked is the body of the results of browser_console and request_visual_qa.
type looked struct {
	Success    bool              `json:"success"`
	Error      string            `json:"error,omitempty" mask:"text"`
	URL        string            `json:"url" mask:"text"`             // where the page landed
	Asked      string            `json:"asked,omitempty" mask:"text"` // where that is another address
	Status     int64             `json:"status,omitempty"`            // of the document there
	Title      string            `json:"title,omitempty" mask:"text"`
	Question   string            `json:"question,omitempty" mask:"text"`
	Messages   []browser.Message `json:"messages"`
	Failed     []browser.Request `json:"failedRequests"`
	More       int               `json:"moreOmitted,omitempty"`
	Screenshot string            `json:"screenshot,omitempty"` // a path in the HOME of the project's commands
	Sandbox    string            `json:"sandbox"`
	Note       string            `json:"note,omitempty"`
}

func browserConsole(ctx context.Context, env Env, in browserConsoleInput) Result {
	body, ended := openPage(ctx, env, "browser_console", in.URL)
	if body == nil {
		return ended
	}
	return Result{Success: body.Success, Sandbox: body.Sandbox, body: body}
}

// requestVisualQA is a success once the picture is there: it was looked at for a
// human, who answers by a message of theirs.
func requestVisualQA(ctx context.Context, env Env, in requestVisualQAInput) Result {
	body, ended := openPage(ctx, env, "request_visual_qa", in.URL)
	if body == nil {
		return ended
	}
	body.Question = in.Question
	switch {
	case body.Success && body.Screenshot == "":
		body.Success, body.Error = false, "there is no picture that the human could look at. See note; try again, or ask them to open the page themselves."
	case body.Success:
		body.Note = strings.TrimSpace("The human sees the picture and the question in the window, and has to look at it. Put the question to them in your last words, and do not say how the page looks until they have answered. " + body.Note)
	}
	return Result{Success: body.Success, Sandbox: body.Sandbox, body: body}
}

// verdictOf returns what is wrong with a page that was seen, or "". network is whether
// pages reach more than the project's servers.
func verdictOf(p *browser.Page, network bool) string {
	switch {
	case p.Status >= 400:
		return fmt.Sprintf("%s answered with status %d. Read messages and server_logs for the cause.", p.URL, p.Status)
	case p.Leaving != "":
		return fmt.Sprintf("the page was still on its way to %s when the %v of waiting were over. Look whether its server answers (server_logs), and whether the page leads on and on.", p.Leaving, browser.Settle)
	case p.Broken != "" && !network:
		return fmt.Sprintf("the page landed at %s, which did not load: %s. A page reaches only this project's servers until the human allows the network. Look what leads it there, and whether its server runs (server_logs).", p.URL, p.Broken)
	case p.Broken != "":
		return fmt.Sprintf("the page landed at %s, which did not load: %s. Look what leads it there, and whether its server runs.", p.URL, p.Broken)
	case p.Status == 0:
		return fmt.Sprintf("the page landed at %s, which no server has sent. Look what leads it there.", p.URL)
	case p.Status/100 != 2:
		return fmt.Sprintf("%s answered with status %d, and not with a page.", p.URL, p.Status)
	case p.Uncaught == 1:
		return "the page threw 1 error that nothing caught. Read messages for the cause."
	case p.Uncaught > 1:
		return fmt.Sprintf("the page threw %d errors that nothing caught. Read messages for the cause.", p.Uncaught)
	}
	return ""
}
