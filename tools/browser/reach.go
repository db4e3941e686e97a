package browser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// ErrForbidden is the error of Look's reach for what a page must not reach.
var ErrForbidden = errors.New("not one of this project's servers")

// bodyMost is how many bytes of an answer a page gets.
const bodyMost = 32 << 20

// intercept lets the page's requests go through reach.
func (w *watcher) intercept(ctx context.Context, reach http.RoundTripper) error {
	w.paused = func(ev *fetch.EventRequestPaused) {
		answer, err := ask(ctx, reach, ev.Request)
		if err == nil {
			answer.RequestID = ev.RequestID
			_, err = chromedp.Call(ctx, fetch.FulfillRequest, *answer)
		}
		if err != nil { // where ctx has ended this one fails too, and the page with it
			reason := network.ErrorReasonConnectionRefused
			if errors.Is(err, ErrForbidden) {
				reason = network.ErrorReasonBlockedByClient
			}
			chromedp.Call(ctx, fetch.FailRequest, fetch.FailRequestParams{RequestID: ev.RequestID, ErrorReason: reason})
		}
	}
	_, err := chromedp.Call(ctx, fetch.Enable, fetch.EnableParams{})
	return err
}

// ask sends a page's request, and returns the answer as the browser takes it.
func ask(ctx context.Context, reach http.RoundTripper, r *network.Request) (*fetch.FulfillRequestParams, error) {
	var body []byte
	for _, e := range r.PostDataEntries {
		body = append(body, e.Bytes...)
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, r.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, value := range r.Headers {
		req.Header.Set(name, fmt.Sprint(value))
	}
	req.Header.Set("Accept-Encoding", "identity")
	resp, err := reach.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	// What came of a body that breaks off is shown, as a browser does.
	text, _ := io.ReadAll(io.LimitReader(resp.Body, bodyMost))
	answer := &fetch.FulfillRequestParams{ResponseCode: int64(resp.StatusCode), Body: text}
	for name, values := range resp.Header {
		for _, v := range values {
			answer.ResponseHeaders = append(answer.ResponseHeaders, &fetch.HeaderEntry{Name: name, Value: v})
		}
	}
	return answer, nil
}
