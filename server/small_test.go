package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"vibey/provider"
	"vibey/server/project"
	"vibey/server/turn"
	"vibey/tools/caught"
)

func TestModelsKeysHealthLogin(t *testing.T) {
	s := newShop(t)
	all := get[[]providerModels](s, "/models")
	if len(all) != 2 || all[0].Provider != "claude" || all[0].API != "messages" || len(all[0].Models) != 2 || all[0].Models[0].ID != "m-first" || all[0].Error != "" {
		t.Errorf("models %+v", all)
	}
	if down := all[1]; down.Provider != "down" || down.Error == "" || down.Kind != "network" || down.Models == nil || len(down.Models) != 0 {
		t.Errorf("a provider that is down: %+v", down)
	}
	s.json("POST", "/keys", `{"provider":"claude","key":" sk-test\n"}`, 204)
	if s.keys["claude"] != "sk-test" {
		t.Errorf("keys %v", s.keys)
	}
	if h := get[Health](s, "/health"); h != (Health{Version: "v-test", Sandbox: "none", Why: "Commands could run behind stronger walls.", Remedy: "sudo apt install bubblewrap"}) {
		t.Errorf("health %+v", h)
	}
	if got := decode[loginAnswer](t, s.json("POST", "/login", `{"code":"right"}`, 200, "Authorization", "")); got.Token != testToken {
		t.Errorf("login %+v", got)
	}
}

// Each kind of error has one answer, whatever it is wrapped in.
func TestErrorsBecomeAStatusOnce(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		kind   string
		says   string
	}{
		{&turn.Refusal{Kind: turn.ErrInput, Message: "say it"}, 400, "bad-request", "say it"},
		{&turn.Refusal{Kind: turn.ErrActive, Message: "wait"}, 409, "active", "wait"},
		{&turn.Refusal{Kind: turn.ErrStale, Message: "read"}, 409, "stale", "read"},
		{&turn.Refusal{Kind: turn.ErrNothing, Message: "prompt"}, 409, "nothing-to-do", "prompt"},
		{&turn.Refusal{Kind: turn.ErrStopping, Message: "again"}, 503, "stopping", "again"},
		{project.ErrName, 400, "bad-name", "letters"},
		{project.ErrTooLarge, 409, "too-large", "Make it smaller"},
		{project.ErrUTF8, 400, "not-utf8", "UTF-8"},
		{project.ErrActive, 409, "active", "Stop it"},
		{project.ErrBusy, 409, "active", "moment"},
		{project.ErrTwoFiles, 409, "two-files", "delete one"},
		{&project.OverwrittenError{ID: "x", Gone: true}, 409, "conflict", "Read it again"},
		{fmt.Errorf("%w: %w", project.ErrNotPlain, fs.ErrNotExist), 404, "not-found", "list"},
		{fmt.Errorf("%w: %w", project.ErrNotPlain, fs.ErrExist), 409, "not-plain", "Move it"},
		{fs.ErrExist, 409, "name-taken", "another"},
		{&fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, 507, "disk-full", "Make room"},
		{&fs.PathError{Op: "write", Path: "x", Err: syscall.EROFS}, 507, "read-only", "writable"},
		{&fs.PathError{Op: "open", Path: "x", Err: syscall.EACCES}, 500, "no-access", "access"},
		{&fs.PathError{Op: "open", Path: "x", Err: syscall.EPERM}, 500, "no-access", "access"},
		{&fs.PathError{Op: "write", Path: "x", Err: syscall.EDQUOT}, 507, "disk-full", "quota"},
		{fmt.Errorf("%w: %w", project.ErrDeed, fs.ErrNotExist), 400, "bad-deed", "deed"},
		{fmt.Errorf("%w: %w", project.ErrDeed, syscall.EACCES), 400, "bad-deed", "deed"},
		{fmt.Errorf("%w: %w", project.ErrLeads, fs.ErrNotExist), 409, "bad-deed", "agents"},
		{&project.OverwrittenError{ID: "x", Err: errors.Join(syscall.ENOSPC, syscall.EIO)}, 409, "conflict", "Read it again"},
		{&project.ConflictError{}, 409, "conflict", "Read it again"},
		{errors.Join(syscall.ENOSPC, fs.ErrNotExist), 500, "internal", "log"},
		{errors.Join(syscall.EACCES, syscall.ENOSPC), 500, "internal", "no space left on device; permission denied"},
		{&fs.PathError{Op: "sync", Path: "/home/x", Err: syscall.EIO}, 500, "disk-error", "input/output error"},
		{errors.Join(syscall.EIO, &fs.PathError{Op: "truncate", Path: "/home/x", Err: syscall.EIO}), 500, "disk-error", "input/output error"},
		{syscall.ENOLCK, 503, "no-locks", "locks"},
		{syscall.ESTALE, 503, "disk-gone", "not there"},
		{syscall.ENOTCONN, 503, "disk-gone", "not there"},
		{syscall.ECONNABORTED, 503, "disk-gone", "not there"},
		{syscall.EMFILE, 503, "too-many-files", "open"},
		{syscall.EFBIG, 507, "file-too-large", "size"},
		{&os.LinkError{Op: "rename", Old: "/home/x", New: "/home/y", Err: syscall.EXDEV}, 500, "internal", "the system said: invalid cross-device link"},
		{errors.New("EIO /home/someone"), 500, "internal", "log"},
	} {
		p := problemOf(fmt.Errorf("wrapped: %w", c.err))
		if (p.id != "") != (c.status == 500) {
			t.Errorf("%v: id %q", c.err, p.id)
		}
		if p.status != c.status || p.kind != c.kind || !strings.Contains(p.detail, c.says) || strings.Contains(p.detail, "/home") {
			t.Errorf("%v: %d %s %s", c.err, p.status, p.kind, p.detail)
		}
	}
}

// No order decides what an error becomes: neither that of the tables, nor that in
// which an error wraps others.
func TestKindsAreSets(t *testing.T) {
	var all []error
	for _, k := range slices.Concat(roomKinds, systemKinds) {
		all = append(all, k.is...)
	}
	words := func(err error) string {
		p := problemOf(err)
		return fmt.Sprint(p.status, p.kind, strings.HasPrefix(p.detail, "The server could not"))
	}
	defer func(room, system []kind) { roomKinds, systemKinds = room, system }(roomKinds, systemKinds)
	before := map[[2]int]string{}
	for _, reversed := range []bool{false, true} {
		for i, a := range all {
			if p := problemOf(a); p.kind == "internal" {
				t.Errorf("%v is of more than one kind", a)
			}
			for j, b := range all {
				got := words(fmt.Errorf("%w: %w", a, b))
				if back := words(errors.Join(b, a)); back != got {
					t.Errorf("%v, %v: %s, and the other way round %s", a, b, got, back)
				}
				if at := [2]int{i, j}; !reversed {
					before[at] = got
				} else if before[at] != got {
					t.Errorf("%v, %v: %s, and with the tables reversed %s", a, b, before[at], got)
				}
			}
		}
		roomKinds, systemKinds = slices.Clone(roomKinds), slices.Clone(systemKinds)
		slices.Reverse(roomKinds)
		slices.Reverse(systemKinds)
	}
}

// A handler that breaks harms its own request alone.
func TestPanicIsOneRequestsMatter(t *testing.T) {
	var log strings.Builder
	s := &server{Config: Config{Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}}
	early := s.run(&route{handle: func(*server, http.ResponseWriter, *http.Request) error { panic("oh") }})
	w := httptest.NewRecorder()
	early.ServeHTTP(w, httptest.NewRequest("GET", "/x", nil))
	if w.Code != 500 || !strings.Contains(w.Body.String(), "problem:internal") || strings.Contains(w.Body.String(), "oh\"") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	var told struct{ Instance string }
	if err := json.Unmarshal(w.Body.Bytes(), &told); err != nil || !strings.HasPrefix(told.Instance, "urn:uuid:") || !strings.Contains(log.String(), "id="+told.Instance[len("urn:uuid:"):]) {
		t.Errorf("%v: %s is in no log:\n%s", err, w.Body, &log)
	}
	if got := log.String(); !strings.Contains(got, "panic=oh") || !strings.Contains(got, "small_test.go") || strings.Count(got, "msg=request ") != 1 || !strings.Contains(got, "status=500") {
		t.Errorf("log %s", got)
	}
	late := s.run(&route{handle: func(_ *server, w http.ResponseWriter, _ *http.Request) error {
		w.Write([]byte("half"))
		panic("oh")
	}})
	defer func() {
		if p := recover(); p != http.ErrAbortHandler {
			t.Errorf("a half answer looks whole: %v", p)
		}
	}()
	late.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/x", nil))
}

func TestListIsWrittenAsTheStructSays(t *testing.T) {
	s := newShop(t)
	s.write("p/dialog-20260216-201100-x-waiting.md", waitingDialog+"\n## User\n\nsay \"<hello>\"\n")
	s.write("p/dialog-20260216-201101-y-done.md", waitingDialog)
	list := get[[]dialogItem](s, "/project/p/dialogs") // decode refuses fields that the struct lacks
	if len(list) != 2 {
		t.Fatalf("%+v", list)
	}
	for _, d := range list {
		if d.DialogID == "" || !d.Status.Valid() || d.Needs == "" || d.MTime == "" {
			t.Errorf("%+v", d)
		}
		if d.DialogID == "20260216-201100-x" && d.Words != `say "<hello>"` {
			t.Errorf("words %q", d.Words)
		}
	}
	if err := s.store.Create("empty", ""); err != nil {
		t.Fatal(err)
	}
	if got := s.json("GET", "/project/empty/dialogs", "", 200); got != "[]\n" {
		t.Errorf("no dialogs: %s", got)
	}
}

// A fault of our own is the same one in the answer and in the log, also where it
// was caught before it came here.
func TestAFaultIsFoundInTheLog(t *testing.T) {
	broken := &caught.Panic{ID: "1-2-3", Value: "oh"}
	if p := problemOf(fmt.Errorf("wrapped: %w", broken)); p.status != 500 || p.id != "1-2-3" {
		t.Errorf("%d %q", p.status, p.id)
	}
	var log strings.Builder
	s := &server{Config: Config{Log: slog.New(slog.NewTextHandler(&log, nil))}}
	w := httptest.NewRecorder()
	s.answerError(w, httptest.NewRequest("GET", "/x", nil), errors.New("EIO"))
	id := regexp.MustCompile(`"instance":"urn:uuid:([^"]+)"`).FindStringSubmatch(w.Body.String())
	if id == nil || !strings.Contains(log.String(), "id="+id[1]) {
		t.Errorf("%s\n%s", w.Body, &log)
	}
}

// careless is a provider that can't list its models without breaking.
type careless struct{ provider.Provider }

func (careless) API() string                                      { return "messages" }
func (careless) Models(context.Context) ([]provider.Model, error) { panic("no list") }

type justCareless struct{ offered }

func (justCareless) Names() []string { return []string{"careless", "claude"} }

// A provider whose list breaks hides no other's.
func TestModelsOutliveAPanic(t *testing.T) {
	var log strings.Builder
	s := newShop(t)
	fine, _ := s.config.Providers.Provider("claude")
	srv := &server{Config: Config{Log: slog.New(slog.NewTextHandler(&log, nil)), Providers: justCareless{offered{"careless": careless{}, "claude": fine}}}}
	w := httptest.NewRecorder()
	if err := srv.listModels(w, httptest.NewRequest("GET", "/models", nil)); err != nil {
		t.Fatal(err)
	}
	var all []providerModels
	if err := json.Unmarshal(w.Body.Bytes(), &all); err != nil || len(all) != 2 {
		t.Fatalf("%v: %s", err, w.Body)
	}
	if all[0].Error == "" || all[0].Models == nil || len(all[1].Models) == 0 || !strings.Contains(log.String(), "no list") {
		t.Errorf("%+v\n%s", all, &log)
	}
}
