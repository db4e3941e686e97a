// Package browser looks at a page in a Chromium that runs already, by its DevTools
// protocol: what the page writes to its console, which requests fail, and a picture.
//
//	page, err := browser.Look(ctx, "ws://127.0.0.1:9222", "http://127.0.0.1:8000/", nil)
package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
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

// Page is what was seen of one page: of the last document, where it led from one to
// the next.
type Page struct {
	URL      string // where it landed; "" where nothing was shown
	Moved    bool   // URL is another address than was asked for
	Status   int64  // of the document; 0 where none came
	Broken   string // why the document did not load, or ""
	Leaving  string // the address of a document that was asked for, and did not come in time
	Title    string
	Messages []Message
	Failed   []Request
	More     int    // messages beyond the share of their level, and requests beyond Most
	Uncaught int    // messages, kept or not, of errors that no code of the page caught
	Picture  []byte // nil where none could be taken
	Restless bool   // it still loaded something when Settle was over
}

// Message is a line of the page's console.
type Message struct {
	Level string `json:"level"` // "log", "warning", "error", "uncaught", …
	Text  string `json:"text" mask:"text"`
	At    string `json:"at,omitempty" mask:"text"` // URL:line
}

// Request is one that failed: it got no answer, or one with an error status.
type Request struct {
	URL    string `json:"url" mask:"text"`
	Status int64  `json:"status,omitempty"`
	Error  string `json:"error,omitempty" mask:"text"`
}

const (
	Most   = 100             // requests that are kept; of messages see share
	Settle = 5 * time.Second // the longest that is waited for a loaded page to load nothing more

	pictureLimit  = 5 * time.Second // Chromium draws none while a page leaves, and after some pages have not left
	textMost      = 1000            // bytes of one message
	width, height = 1280, 900
)

// Look opens the url in the browser whose DevTools listen at ws, waits until the page
// loads nothing more, and takes its picture. The error is the navigation's, or ctx's.
// reach sends the page's requests, instead of the browser: it alone decides what the page
// reaches, but for its WebSockets. nil leaves them to the browser.
func Look(ctx context.Context, ws, url string, reach http.RoundTripper) (*Page, error) {
	ctx, cancel := remote.NewAllocator(ctx, ws)
	defer cancel()
	w := newWatcher()
	ctx, end := chromedp.NewContext(ctx, chromedp.WithListener(func(ev any) { safely(func() { w.event(ev) }) }))
	defer end()
	w.answer = func() {
		chromedp.Call(ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
	}
	err := w.look(ctx, url, reach)
	return w.seen(), err
}

// watcher takes down what a page tells of itself.
type watcher struct {
	paused func(*fetch.EventRequestPaused)
	answer func() // closes a dialog of the page, which would stop it for good

	mu      sync.Mutex
	page    Page
	kept    map[string]int // messages by the level whose share they are of
	urls    map[network.RequestID]string
	docs    documents
	changed chan struct{} // docs has something loaded, or settled
}

func newWatcher() *watcher {
	return &watcher{
		page: Page{Messages: []Message{}, Failed: []Request{}},
		kept: map[string]int{}, urls: map[network.RequestID]string{}, changed: make(chan struct{}, 1),
	}
}

// seen returns what was taken down until now.
func (w *watcher) seen() *Page {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.page
	last, coming := w.docs.all[w.docs.shown], w.docs.all[w.docs.coming]
	switch {
	case last == nil:
		last = coming
	case coming != nil:
		p.Leaving = short(coming.url)
	}
	if last != nil {
		p.URL, p.Status, p.Broken = short(last.url), last.status, last.broken
		p.Moved = last.url != w.docs.first
	}
	return &p
}

// look opens the url, waits, and takes the picture. chromedp has the browser tell of all
// that event takes down.
func (w *watcher) look(ctx context.Context, url string, reach http.RoundTripper) (err error) {
	if reach != nil {
		err = w.intercept(ctx, reach)
	}
	if err == nil {
		err = chromedp.Do(ctx, chromedp.EmulateViewport(width, height))
	}
	if err == nil {
		err = navigate(ctx, url)
	}
	var over <-chan time.Time
	for again := true; err == nil && again; {
		if over, err = w.settle(ctx, over); err == nil {
			err = w.show(ctx)
		}
		w.mu.Lock()
		again = !w.page.Restless && !w.docs.settled() // it went on to another document meanwhile
		w.mu.Unlock()
	}
	return err
}

// navigate returns once the document begins to come. chromedp's own one waits for it to
// be loaded, which one that leaves on its way, as for a download, never is.
func navigate(ctx context.Context, url string) error {
	res, err := chromedp.Call(ctx, page.Navigate, page.NavigateParams{URL: url})
	if err == nil && res.ErrorText != "" {
		err = &chromedp.LoadError{ErrorText: res.ErrorText}
	}
	return err
}

// show takes the title and the picture, as far as they are to be had in time: a page
// that leaves just now has none. The error is ctx's.
func (w *watcher) show(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, pictureLimit)
	defer cancel()
	title, _ := chromedp.Run(limited, chromedp.Title())
	picture, _ := chromedp.Run(limited, chromedp.CaptureScreenshot())
	w.mu.Lock()
	defer w.mu.Unlock()
	w.page.Title, w.page.Picture = title, picture
	return ctx.Err()
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
		if ev.Type == network.ResourceTypeDocument && string(ev.RequestID) == string(ev.LoaderID) {
			w.docs.ask(ev.FrameID, ev.LoaderID, ev.Request.URL+ev.Request.URLFragment)
		}
		w.remember(ev.RequestID, ev.Request.URL)
	case *network.EventResponseReceived:
		if ev.Type == network.ResourceTypeDocument && string(ev.RequestID) == string(ev.LoaderID) {
			w.docs.get(ev.LoaderID).status = ev.Response.Status
		}
		if ev.Response.Status >= 400 {
			w.failed(Request{URL: ev.Response.URL, Status: ev.Response.Status})
		}
	case *network.EventLoadingFailed:
		w.docs.fail(cdp.LoaderID(ev.RequestID), ev.ErrorText, ev.Canceled)
		if !ev.Canceled {
			w.failed(Request{URL: w.urls[ev.RequestID], Error: ev.ErrorText})
		}
	case *network.EventWebSocketCreated:
		w.remember(ev.RequestID, ev.URL)
	case *network.EventWebSocketFrameError:
		why := ev.ErrorMessage
		if w.paused != nil {
			why += "; no page that is looked at has WebSockets until the human allows the network"
		}
		w.failed(Request{URL: w.urls[ev.RequestID], Error: why})
	case *fetch.EventRequestPaused:
		go safely(func() { w.paused(ev) })
	case *page.EventFrameNavigated:
		w.docs.show(ev.Frame)
	case *page.EventNavigatedWithinDocument:
		if ev.FrameID == w.docs.frame && w.docs.shown != "" {
			w.docs.get(w.docs.shown).url = ev.URL
		}
	case *page.EventLifecycleEvent:
		switch ev.Name {
		case "load":
			w.docs.get(ev.LoaderID).loaded = true
		case "networkIdle":
			w.docs.get(ev.LoaderID).quiet = true
		}
	case *page.EventJavascriptDialogOpening:
		w.message(string(ev.Type), ev.Message, "")
		go safely(w.answer)
	}
	if w.docs.loaded() || w.docs.settled() {
		select {
		case w.changed <- struct{}{}:
		default:
		}
	}
}

// safely keeps a page's odd event from ending the program: it is left out.
func safely(f func()) { caught.Do(func() error { f(); return nil }) }

// settle waits until the page loads nothing more, or over, which is Settle after the
// first document was loaded; it is nil before. settle returns it for the next wait.
func (w *watcher) settle(ctx context.Context, over <-chan time.Time) (<-chan time.Time, error) {
	for {
		w.mu.Lock()
		settled, loaded := w.docs.settled(), w.docs.loaded()
		w.mu.Unlock()
		if settled {
			return over, nil
		}
		if loaded && over == nil {
			over = time.After(Settle)
		}
		select {
		case <-w.changed:
		case <-over:
			w.mu.Lock()
			w.page.Restless = true
			w.mu.Unlock()
			return over, nil
		case <-ctx.Done():
			return over, ctx.Err()
		}
	}
}

// remember keeps a request's address for when it fails.
func (w *watcher) remember(id network.RequestID, url string) {
	if len(w.urls) < 10*Most {
		w.urls[id] = url
	}
}

func (w *watcher) message(level, text, at string) {
	of, most := share(level)
	if w.kept[of] >= most {
		w.page.More++
		return
	}
	w.kept[of]++
	w.page.Messages = append(w.page.Messages, Message{Level: level, Text: short(text), At: at})
}

// share returns the share that a message of that level takes from, and how many it
// holds: however much a page logs, what went wrong on it is kept.
func share(level string) (of string, most int) {
	switch level {
	case "uncaught", "warning":
		return level, 20
	case "error", "assert":
		return "error", 20
	}
	return "log", 100
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
