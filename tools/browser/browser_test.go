package browser

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
)

// Events as Chromium sends them, in their order.
func asks(frame cdp.FrameID, id cdp.LoaderID, url string) any {
	return &network.EventRequestWillBeSent{RequestID: network.RequestID(id), LoaderID: id, FrameID: frame, Type: network.ResourceTypeDocument, Request: &network.Request{URL: url}}
}

func answers(id cdp.LoaderID, status int64) any {
	return &network.EventResponseReceived{RequestID: network.RequestID(id), LoaderID: id, Type: network.ResourceTypeDocument, Response: &network.Response{Status: status}}
}

func fails(id cdp.LoaderID, canceled bool) any {
	return &network.EventLoadingFailed{RequestID: network.RequestID(id), Type: network.ResourceTypeDocument, ErrorText: "net::ERR", Canceled: canceled}
}

func shows(frame, parent cdp.FrameID, id cdp.LoaderID, url, unreachable string) any {
	return &page.EventFrameNavigated{Frame: &cdp.Frame{ID: frame, ParentID: parent, LoaderID: id, URL: url, UnreachableURL: unreachable}}
}

func idle(id cdp.LoaderID) any {
	return &page.EventLifecycleEvent{LoaderID: id, Name: "networkIdle"}
}

// The document told of is the main frame's last one.
func TestDocuments(t *testing.T) {
	first := []any{asks("m", "1", "http://h/"), answers("1", 200), shows("m", "", "1", "http://h/", "")}
	for name, c := range map[string]struct {
		events  []any
		want    Page
		settled bool
	}{
		"nothing": {nil, Page{}, false},
		"one":     {[]any{idle("1")}, Page{URL: "http://h/", Status: 200}, true},
		"redirect": {[]any{asks("m", "2", "http://h/a"), asks("m", "2", "http://h/b"), answers("2", 404), shows("m", "", "2", "http://h/b", ""), idle("2")},
			Page{URL: "http://h/b", Moved: true, Status: 404}, true},
		"error page": {[]any{asks("m", "2", "http://x/"), fails("2", false), shows("m", "", "2", "chrome-error://chromewebdata/", "http://x/"), idle("2")},
			Page{URL: "http://x/", Moved: true, Broken: "net::ERR"}, true},
		"left late": {[]any{asks("m", "2", "http://x/"), idle("1")}, Page{URL: "http://h/", Status: 200, Leaving: "http://x/"}, false},
		"download":  {[]any{asks("m", "2", "http://h/zip"), answers("2", 200), fails("2", true), idle("1")}, Page{URL: "http://h/", Status: 200}, true},
		"frame": {[]any{shows("f", "m", "2", "about:blank", ""), asks("f", "3", "http://x/"), answers("3", 500), fails("3", false), shows("f", "m", "3", "chrome-error://", "http://x/"), idle("1")},
			Page{URL: "http://h/", Status: 200}, true},
		"within": {[]any{&page.EventNavigatedWithinDocument{FrameID: "m", URL: "http://h/login"}, idle("1")}, Page{URL: "http://h/login", Moved: true, Status: 200}, true},
		"back":   {[]any{idle("1"), asks("m", "2", "http://h/2"), answers("2", 200), shows("m", "", "2", "http://h/2", ""), shows("m", "", "1", "http://h/", "")}, Page{URL: "http://h/", Status: 200}, true},
	} {
		w := newWatcher()
		events := c.events
		if name != "nothing" {
			events = append(first[:len(first):len(first)], events...)
		}
		for _, ev := range events {
			w.event(ev)
		}
		got := w.seen()
		if got.URL != c.want.URL || got.Moved != c.want.Moved || got.Status != c.want.Status || got.Broken != c.want.Broken || got.Leaving != c.want.Leaving {
			t.Errorf("%s: %+v", name, got)
		}
		if w.docs.settled() != c.settled {
			t.Errorf("%s: settled is %t", name, !c.settled)
		}
	}
}

func says(level runtime.ConsoleAPICalledType, text string) any {
	value, _ := json.Marshal(text)
	return &runtime.EventConsoleAPICalled{Type: level, Args: []*runtime.RemoteObject{{Type: runtime.RemoteObjectTypeString, Value: value}}}
}

// However much a page logs, the errors are kept, in the order in which all came.
func TestMessages(t *testing.T) {
	w := newWatcher()
	for range 150 {
		w.event(says(runtime.ConsoleAPICalledTypeLog, "l"))
	}
	for range 30 {
		w.event(says(runtime.ConsoleAPICalledTypeError, "e"))
		w.event(says(runtime.ConsoleAPICalledTypeWarning, "w"))
	}
	w.event(says(runtime.ConsoleAPICalledTypeAssert, "no more errors"))
	w.event(&runtime.EventExceptionThrown{ExceptionDetails: &runtime.ExceptionDetails{Text: "thrown"}})
	w.event(says(runtime.ConsoleAPICalledTypeLog, "l"))
	p := w.seen()
	var got strings.Builder
	for _, m := range p.Messages {
		got.WriteString(m.Text)
	}
	if want := strings.Repeat("l", 100) + strings.Repeat("ew", 20) + "thrown"; got.String() != want || p.More != 51+10+10+1 || p.Uncaught != 1 {
		t.Errorf("%s, %d more, %d uncaught", got.String(), p.More, p.Uncaught)
	}
}
