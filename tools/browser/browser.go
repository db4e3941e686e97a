// Package browser looks at a page in a Chromium that runs already, by its DevTools
// protocol: what the page writes to its console, which requests fail, and a picture.
//
//	page, err := browser.Look(ctx, "ws://127.0.0.1:9222", "http://127.0.0.1:8000/", nil)
package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"

	"vibey/tools/caught"
)

// Page is what was seen of one page.
type Page struct {
	Status   int64 // of the document; 0 where none came
	Title    string
	Messages []Message
	Failed   []Request
	More     int // messages and requests beyond the first Most of each
	Uncaught int // of the messages, errors that no code of the page caught
	Picture  []byte
	Restless bool // it still loaded something when Settle was over
}

// Message is a line of the page's console.
type Message struct {
	Level string `json:"level"` // "log", "warning", "error", "uncaught", …
	Text  string `json:"text"`
	At    string `json:"at,omitempty"` // URL:line
}

// Request is one that failed: it got no answer, or one with an error status.
type Request struct {
	URL    string `json:"url"`
	Status int64  `json:"status,omitempty"`
	Error  string `json:"error,omitempty"`
}

const (
	Most   = 100             // messages, and requests, that are kept
	Settle = 5 * time.Second // the longest that is waited for a page to load nothing more

	textMost      = 1000 // bytes of one message
	width, height = 1280, 900
)

// Look opens the url in the browser whose DevTools listen at ws, waits until the page
// loads nothing more, and takes its picture. The error is the navigation's, or ctx's.
// reach sends the page's requests; nil leaves them to the browser.
func Look(ctx context.Context, ws, url string, reach Reach) (*Page, error) {
	ctx, cancel := remote.NewAllocator(ctx, ws)
	defer cancel()
	w := &watcher{urls: map[network.RequestID]string{}, idle: make(chan struct{})}
	ctx, end := chromedp.NewContext(ctx, chromedp.WithListener(func(ev any) { safely(func() { w.event(ev) }) }))
	defer end()
	w.answer = func() {
		chromedp.Call(ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
	}
	err := w.look(ctx, url, reach)
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.page
	return &p, err
}

// watcher takes down what a page tells of itself.
type watcher struct {
	paused func(*fetch.EventRequestPaused)
	answer func() // closes a dialog of the page, which would stop it for good

	mu     sync.Mutex
	page   Page
	urls   map[network.RequestID]string
	loader cdp.LoaderID // of the document
	once   sync.Once
	idle   chan struct{} // closed once the document, and what it asked for, is there
}

// look opens the url, waits, and takes the picture.
func (w *watcher) look(ctx context.Context, url string, reach Reach) error {
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	if err == nil {
		_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
	}
	if err == nil {
		_, err = chromedp.Call(ctx, page.SetLifecycleEventsEnabled, page.SetLifecycleEventsEnabledParams{Enabled: true})
	}
	if err == nil && reach != nil {
		err = w.intercept(ctx, reach)
	}
	if err == nil {
		err = chromedp.Do(ctx, chromedp.EmulateViewport(width, height), chromedp.Navigate(url))
	}
	if err == nil {
		err = w.settle(ctx)
	}
	if err != nil {
		return err
	}
	title, err := chromedp.Run(ctx, chromedp.Title())
	if err != nil {
		return err
	}
	picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	w.mu.Lock()
	defer w.mu.Unlock()
	w.page.Title, w.page.Picture = title, picture
	return err
}

// event takes down one event. It is called where the browser's messages are read, so
// it waits for nothing.
func (w *watcher) event(ev any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch ev := ev.(type) {
	case *runtime.EventConsoleAPICalled:
		w.message(string(ev.Type), arguments(ev.Args), place(ev.StackTrace))
	case *runtime.EventExceptionThrown:
		w.page.Uncaught++
		w.message("uncaught", thrown(ev.ExceptionDetails), at(ev.ExceptionDetails.URL, ev.ExceptionDetails.LineNumber))
	case *log.EventEntryAdded:
		if e := ev.Entry; e.Source != log.EntrySourceNetwork { // these are told as requests
			w.message(string(e.Level), e.Text, at(e.URL, e.LineNumber))
		}
	case *network.EventRequestWillBeSent:
		if ev.Type == network.ResourceTypeDocument && w.loader == "" {
			w.loader = ev.LoaderID
		}
		if len(w.urls) < 10*Most {
			w.urls[ev.RequestID] = ev.Request.URL
		}
	case *network.EventResponseReceived:
		if ev.Type == network.ResourceTypeDocument && w.page.Status == 0 {
			w.page.Status = ev.Response.Status
		}
		if ev.Response.Status >= 400 {
			w.failed(Request{URL: ev.Response.URL, Status: ev.Response.Status})
		}
	case *network.EventLoadingFailed:
		if !ev.Canceled {
			w.failed(Request{URL: w.urls[ev.RequestID], Error: ev.ErrorText})
		}
	case *fetch.EventRequestPaused:
		go safely(func() { w.paused(ev) })
	case *page.EventLifecycleEvent:
		if ev.Name == "networkIdle" && ev.LoaderID == w.loader {
			w.once.Do(func() { close(w.idle) })
		}
	case *page.EventJavascriptDialogOpening:
		w.message(string(ev.Type), ev.Message, "")
		go safely(w.answer)
	}
}

// safely keeps a page's odd event from ending the program: it is left out.
func safely(f func()) { caught.Do(func() error { f(); return nil }) }

// settle waits until the page loads nothing more, or Settle is over.
func (w *watcher) settle(ctx context.Context) error {
	timer := time.NewTimer(Settle)
	defer timer.Stop()
	select {
	case <-w.idle:
	case <-timer.C:
		w.mu.Lock()
		w.page.Restless = true
		w.mu.Unlock()
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

func (w *watcher) message(level, text, at string) {
	if len(w.page.Messages) >= Most {
		w.page.More++
		return
	}
	w.page.Messages = append(w.page.Messages, Message{Level: level, Text: short(text), At: at})
}

// failed takes down a request, but not for the icon that browsers ask for unasked.
func (w *watcher) failed(r Request) {
	switch {
	case strings.HasSuffix(r.URL, "/favicon.ico"):
	case len(w.page.Failed) >= Most:
		w.page.More++
	default:
		r.URL = short(r.URL)
		w.page.Failed = append(w.page.Failed, r)
	}
}

func arguments(args []*runtime.RemoteObject) string {
	var parts []string
	for _, a := range args {
		switch {
		case a.Type == runtime.RemoteObjectTypeString:
			parts = append(parts, unquoted(a.Value))
		case len(a.Value) > 0:
			parts = append(parts, string(a.Value))
		case a.Description != "":
			parts = append(parts, a.Description)
		default:
			parts = append(parts, string(a.Type))
		}
	}
	return strings.Join(parts, " ")
}

func thrown(d *runtime.ExceptionDetails) string {
	if d.Exception != nil && d.Exception.Description != "" {
		return d.Exception.Description
	}
	return d.Text
}

func place(s *runtime.StackTrace) string {
	if s == nil || len(s.CallFrames) == 0 {
		return ""
	}
	return at(s.CallFrames[0].URL, s.CallFrames[0].LineNumber)
}

// at is a place in a source; line counts from 0.
func at(url string, line int64) string {
	if url == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", short(url), line+1)
}

func short(text string) string {
	if len(text) <= textMost {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	return strings.ToValidUTF8(text[:textMost], "") + "…"
}

// unquoted is the text of a JSON string.
func unquoted(raw []byte) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return string(raw)
	}
	return text
}
