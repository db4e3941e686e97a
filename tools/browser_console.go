package tools

import (
	"context"
	"fmt"
	"strings"

	"vibey/tools/browser"
)

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
