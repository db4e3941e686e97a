package server

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
)

const longID = "20260216-201100-long"

// long writes a dialog by hand with one section of so many MiB among short ones.
func (s *shop) long(mib int) (size int64) {
	s.t.Helper()
	f, err := os.Create(filepath.Join(s.root, "p", dialog.Filename(longID, dialog.Waiting)))
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	short := func(id, text string) {
		sec := dialog.Section{Role: dialog.User, ID: id, Time: "2026-02-16T20:11:00Z - 2026-02-16T20:11:00Z", Payloads: []dialog.Payload{{Type: dialog.InputMarkdown, Text: text}}}
		f.Write(dialog.AppendSection(nil, &sec))
	}
	h := dialog.Header{DialogID: longID, Provider: "claude", Model: "m", Status: dialog.Waiting, Started: "2026-02-16T20:11:00Z"}
	f.Write(dialog.AppendHeader(nil, &h))
	short("u_1", "Please read.")
	io.WriteString(f, "\n## Assistant\n> Id: a_1\n> Time: 2026-02-16T20:11:00Z - 2026-02-16T20:11:00Z\n> Resources: in=0 out=0 total=0 tools=0 ms=0\n\nəəəoutput/markdown\n")
	words := strings.Repeat("What no one ends, word by word.\n", 1<<20/32)
	for range mib {
		io.WriteString(f, words)
	}
	io.WriteString(f, "\nəəə\n")
	short("u_2", "Thanks.")
	st, err := f.Stat()
	if err != nil {
		s.t.Fatal(err)
	}
	return st.Size()
}

// allocated returns how many bytes are allocated during f.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A window of a dialog with a section of 100 MiB costs what the head of that section does,
// and shows it with a word that it goes on. A short section beside it is sent as it is, and
// the position is the file's, as for a stream that goes on from there.
func TestWindowOfALongSection(t *testing.T) {
	testenv.Slow(t)
	s := newShop(t)
	size := s.long(100)
	var v dialogView
	for _, window := range []string{"&from=-3", "&from=-1", "&from=0&limit=1"} {
		bytes := allocated(func() { v = get[dialogView](s, "/project/p/dialog/"+longID+"?markdown=0"+window) })
		if bytes > 300<<20 { // most of it is the JSON of 16 MiB, here and in the server: read whole it is over 2 GB
			t.Errorf("%s: %d MiB are allocated", window, bytes>>20)
		}
		if !strings.HasPrefix(v.At, strconv.FormatInt(size, 10)+"+") || v.Total != 3 {
			t.Errorf("%s: at %s of %d, %d sections", window, v.At, size, v.Total)
		}
	}
	v = get[dialogView](s, "/project/p/dialog/"+longID+"?markdown=0&from=1")
	said := v.Sections[0].Payloads[0].Text
	if len(said) > dialog.SectionMost || !strings.Contains(said[dialog.TextMost-100:], "bytes more are not shown") {
		t.Errorf("the section is sent with %d bytes", len(said))
	}
	if v.Sections[1].Payloads[0].Text != "Thanks." || v.Sections[1].HTML == "" {
		t.Errorf("behind it %+v", v.Sections[1])
	}
	// The stream of a window that has read so far brings nothing twice.
	if frames := s.follow(s.request("GET", "/project/p/dialog/"+longID+"/stream", nil, "Last-Event-ID", v.At)).all(); frameTypes(frames) != "done" {
		t.Errorf("frames %s", frameTypes(frames))
	}
	if bytes := allocated(func() { get[[]dialogItem](s, "/project/p/dialogs") }); bytes > 64<<20 {
		t.Errorf("for the list %d MiB are allocated", bytes>>20)
	}
}
