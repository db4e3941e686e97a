package tools

import (
	"context"
	_ "embed"
	"fmt"

	"vibey/tools/browser"
)

//go:embed browser_console.md
var browserConsoleText string

//go:embed request_visual_qa.md
var requestVisualQAText string

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
	Error      string            `json:"error,omitempty"`
	URL        string            `json:"url"`
	Status     int64             `json:"status,omitempty"` // of the document
	Title      string            `json:"title,omitempty"`
	Question   string            `json:"question,omitempty"`
	Messages   []browser.Message `json:"messages,omitempty"`
	Failed     []browser.Request `json:"failedRequests,omitempty"`
	More       int               `json:"moreOmitted,omitempty"`
	Screenshot string            `json:"screenshot,omitempty"` // a path in the HOME of the project's commands
	Sandbox    string            `json:"sandbox"`
	Note       string            `json:"note,omitempty"`
}

func (l *looked) mask(m func(string) string) {
	l.URL, l.Title, l.Error, l.Question = m(l.URL), m(l.Title), m(l.Error), m(l.Question)
	for i, msg := range l.Messages {
		l.Messages[i].Text, l.Messages[i].At = m(msg.Text), m(msg.At)
	}
	for i, r := range l.Failed {
		l.Failed[i].URL, l.Failed[i].Error = m(r.URL), m(r.Error)
	}
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
	if body.Success {
		body.Note = "The picture is kept for the human, who has to look at it. Put the question to them in your last words, and do not say how the page looks until they have answered."
	}
	return Result{Success: body.Success, Sandbox: body.Sandbox, body: body}
}

// verdictOf returns what is wrong with a page that was seen, or "".
func verdictOf(p *browser.Page) string {
	switch {
	case p.Status >= 400:
		return fmt.Sprintf("the page answered with status %d. Read messages and server_logs for the cause.", p.Status)
	case p.Uncaught > 0:
		return fmt.Sprintf("the page threw %d errors that nothing caught. Read messages for the cause.", p.Uncaught)
	}
	return ""
}
