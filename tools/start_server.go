package tools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"vibey/tools/disk"
	"vibey/tools/sandbox"
)

type startServerInput struct {
	Command     string `json:"command" jsonschema:"minLength=1"`
	Port        int    `json:"port" jsonschema:"minimum=1,maximum=65535"`
	Description string `json:"description,omitempty"`
}

// health is what a server answered to GET /.
type health struct {
	Status      int    `json:"status"`
	BodyBytes   int64  `json:"bodyBytes"`
	BodyHash    string `json:"bodyHash"`          // SHA-256 of these, lowercase hex
	BodyCut     bool   `json:"bodyCut,omitempty"` // they are the beginning of the body
	BodySnippet string `json:"bodySnippet" mask:"text"`

	cut string // why, in words
}

// started is the body of the result of start_server.
type started struct {
	Success bool    `json:"success"`
	Error   string  `json:"error,omitempty" mask:"text"`
	Preview string  `json:"previewUrl,omitempty"`
	Port    int     `json:"port"`
	Health  *health `json:"healthCheck,omitempty"`
	Output  string  `json:"output,omitempty" mask:"text"` // where it did not go well
	Sandbox string  `json:"sandbox"`
	Note    string  `json:"note,omitempty"`
}

const (
	healthLimit = 5 * time.Second
	healthPause = 50 * time.Millisecond
	healthBody  = 64 << 20 // bytes read of an answer: hashing them takes some 0.1 s
	snippetSize = 500      // characters shown of it
	outputTail  = 4 << 10  // bytes of its output in the result of a start that failed
)

// startServer starts a server and sends GET / until it answers, ends, or healthLimit
// is over. A server that answers with an error status keeps running, so that its
// logs can be read.
func startServer(ctx context.Context, env Env, in startServerInput) Result {
	deed, refused := openFor(env, servers, in.Command)
	if deed == nil {
		return refused
	}
	deed.Close()
	srv, err := env.Sandbox.Serve(sandbox.Spec{
		Command: in.Command, Dir: deedDir(env), Project: env.ProjectDir, Home: env.Home, Deed: deedDir(env), Network: env.Network, ReadOnly: env.ReadOnly,
		For: env.DialogID,
	}, in.Port)
	if taken, ok := errors.AsType[*sandbox.PortError](err); ok {
		return notRun(ExecError, "the server was not started: port %d is that of a server of this project, which %s. Stop it with stop_server (port %d), or choose another port.", taken.Port, startedBy(taken.For, env.DialogID), taken.Port)
	}
	if errors.Is(err, sandbox.ErrNetwork) {
		return notRun(Permission, "the server was not started: %v. Ask the human to allow the network for this dialog (the line \"allow network\"), or for stronger walls, behind which servers run without it: %s Until then test without a server.", err, env.Sandbox.Why())
	}
	if err != nil {
		return notRun(ExecError, "the server was not started: %s.", disk.Words(err))
	}
	body := &started{Port: in.Port, Sandbox: string(env.Sandbox.Level())}
	body.Health, err = askHealth(ctx, srv, healthLimit)
	switch {
	case ctx.Err() != nil:
		srv.Stop()
		return interrupted()
	case err != nil && !srv.Running():
		out := srv.Outcome()
		body.Error = fmt.Sprintf("the server ended with exit code %d before it answered. Read output for the cause, then start it again.", out.ExitCode)
		body.Note = strings.Join(out.Notes, "\n")
	case err != nil:
		srv.Stop()
		body.Error = fmt.Sprintf("the server did not answer on port %d within %v, and was stopped: %v. Make it listen on 127.0.0.1:%d, then start it again.", in.Port, healthLimit, err, in.Port)
	default:
		body.Preview = "http://" + srv.Preview + "/"
		if body.Success = body.Health.Status/100 == 2; !body.Success {
			body.Error = fmt.Sprintf("the server runs, but GET / answered with status %d. Read bodySnippet and server_logs for the cause.", body.Health.Status)
		}
	}
	if body.Health != nil && body.Health.BodyCut {
		body.Note = "bodyBytes and bodyHash are of the beginning of the body, which " + body.Health.cut + "."
	}
	if env.ReadOnly && srv.Running() {
		body.Note = strings.TrimPrefix(body.Note+"\n", "\n") + "It runs read-only, for as long as it runs: it can write nothing but temporary files. Stop it and start it again once you may change things."
	}
	if !body.Success {
		body.Output = serverOutput(srv)
	}
	return Result{Success: body.Success, Sandbox: body.Sandbox, body: body}
}

// startedBy says which dialog started a server, to the one that asks.
func startedBy(dialogID, asks string) string {
	if dialogID == asks {
		return "this dialog has started"
	}
	return "the dialog " + dialogID + " has started"
}

// askHealth sends GET / until there is an answer, and returns the last error if there
// is none in time.
func askHealth(ctx context.Context, srv *sandbox.Server, limit time.Duration) (*health, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	client := &http.Client{
		Transport: &http.Transport{
			DialContext:       func(context.Context, string, string) (net.Conn, error) { return srv.Dial() },
			DisableKeepAlives: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	tick := time.NewTicker(healthPause)
	defer tick.Stop()
	for {
		h, err := askOnce(ctx, client, srv.Port)
		if err == nil {
			return h, nil
		}
		select {
		case <-ctx.Done():
			return nil, errors.Unwrap(err)
		case <-srv.Ended():
			return nil, errors.New("it has ended")
		case <-tick.C:
		}
	}
}

func askOnce(ctx context.Context, client *http.Client, port int) (*health, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d/", port), nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	h := &health{Status: resp.StatusCode}
	// The beginning of a body that breaks off, or never ends, is evidence too.
	err = h.read(resp.Body)
	h.BodyCut = err != io.EOF
	switch {
	case err == nil:
		h.cut = fmt.Sprintf("is longer than %d MiB", healthBody>>20)
	case ctx.Err() != nil:
		h.cut = fmt.Sprintf("was still coming after %v", healthLimit)
	case h.BodyCut:
		h.cut = fmt.Sprintf("broke off: %v", err)
	}
	return h, nil
}

// read takes up to healthBody bytes of a body. The error is io.EOF where that is the
// whole one, and nil where there are more.
func (h *health) read(body io.Reader) error {
	sum := sha256.New()
	head, err := io.ReadAll(io.TeeReader(io.LimitReader(body, snippetSize*utf8.UTFMax+1), sum))
	h.BodyBytes = int64(len(head))
	if err == nil {
		var n int64
		n, err = io.CopyN(sum, body, healthBody-h.BodyBytes)
		h.BodyBytes += n
	}
	if err == nil {
		_, err = io.ReadFull(body, make([]byte, 1))
	}
	h.BodyHash, h.BodySnippet = hex.EncodeToString(sum.Sum(nil)), clipOf(strings.ToValidUTF8(string(head), "\uFFFD"), snippetSize, h.BodyBytes)
	return err
}

// serverOutput returns the last outputTail bytes that a server wrote.
func serverOutput(srv *sandbox.Server) string {
	s := string(srv.Output().Text)
	if cut := len(s) - outputTail; cut > 0 {
		s = fmt.Sprintf("[… %d bytes before this …]\n%s", cut, s[cut:])
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
