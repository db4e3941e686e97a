package acp

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"vibey/dialog"
	protocol "vibey/provider/acp"
	"vibey/server/project"
	"vibey/server/turn"
	"vibey/server/view"
	"vibey/tools/caught"
)

// session is a dialog that this editor has open.
type session struct {
	a    *Agent
	id   string // the dialog's
	p    *project.Project
	sent sent // of prompts and loads, which exclude each other by busy

	mu     sync.Mutex
	busy   *work  // what goes on in it, nil for nothing
	modes  []mode // that were offered
	chosen mode   // for the next message, empty for the file's
}

// work is one prompt or load.
type work struct {
	ctx  context.Context
	stop context.CancelFunc
	over context.Context // ends with it
	end  context.CancelFunc
	last *work // that it takes the place of, nil for none: it waits for its end

	cancelled atomic.Bool // by session/cancel
	loaded    atomic.Bool // a load was answered, and what goes on in its dialog is followed: the next work ends this one
}

// begin registers a work. It is refused while another one goes on, but for one that only
// follows a dialog that was loaded: that one is ended.
func (s *session) begin(parent context.Context) (*work, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &work{last: s.busy}
	if w.last != nil && !w.last.loaded.Load() {
		return nil, refuse(protocol.CodeInvalidRequest, "this session is working already. Wait until it is done, or cancel it first")
	}
	if w.last != nil {
		w.last.stop()
	}
	w.ctx, w.stop = context.WithCancel(parent)
	w.over, w.end = context.WithCancel(context.Background())
	s.busy = w
	return w, nil
}

// awaitLast returns when the work that w took the place of is over.
func (w *work) awaitLast() {
	if w.last != nil {
		<-w.last.over.Done()
	}
}

// end ends a work, once.
func (s *session) end(w *work) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.stop()
	if s.busy == w {
		s.busy = nil
	}
	w.end()
}

// open returns the session of a dialog, a new one if it was not open. One of another
// project under the same id is refused: what the editor sends for one would reach the other.
func (a *Agent) open(p *project.Project, id string) (*session, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.sessions[id]
	if s != nil && s.p.Name() != p.Name() {
		return nil, refuse(protocol.CodeInvalidParams, "a session %q of the project %s is open here, and this one of %s has the same id. Nothing was opened: open it from a connection of its own", id, s.p.Name(), p.Name())
	}
	if s == nil || s.p != p {
		s = &session{a: a, id: id, p: p}
		a.sessions[id] = s
	}
	return s, nil
}

// session returns one that is open.
func (a *Agent) session(id string) (*session, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.sessions[id]; s != nil {
		return s, nil
	}
	return nil, refuse(protocol.CodeNotFound, "no session %q is open here; load it first", dialog.Cut(id, 100))
}

// warnIgnored logs the params of a session that have no effect here.
func (a *Agent) warnIgnored(in protocol.SessionParams) {
	if len(in.MCPServers) > 0 {
		a.Log.Warn("the editor's MCP servers are not used: a human names them with --mcp, and a project uses them by \"tools mcp:NAME\" in its doc-main.md", "servers", len(in.MCPServers))
	}
}

// newSession makes a dialog without a word in it.
func (a *Agent) newSession(ctx context.Context, in protocol.SessionParams) (any, error) {
	a.warnIgnored(in)
	name := a.First()
	if name == "" {
		return nil, refuse(protocol.CodeInternal, "no provider is there, so no model can be asked: start vibey with a key in ANTHROPIC_API_KEY or OPENAI_API_KEY, or with --provider. Nothing was done")
	}
	if _, ok := a.Provider(name); !ok {
		return nil, badParams("there is no provider %q here. Nothing was done", name)
	}
	p, err := a.projectOf(in.CWD)
	if err != nil {
		return nil, err
	}
	st, err := a.draft(ctx, turn.Input{Project: p, Provider: name, Model: a.Model})
	if err != nil {
		return nil, err
	}
	s, err := a.open(p, st.DialogID)
	if err != nil {
		return nil, err
	}
	return protocol.SessionResult{SessionID: s.id, Modes: s.offer(ctx, st.Provider, st.Model)}, nil
}

// draft makes a dialog whose id no other project has: the editor knows a session by it
// alone. It is named after its project, and differs so in most cases.
func (a *Agent) draft(ctx context.Context, in turn.Input) (st view.State, err error) {
	for n := 1; n <= draftsMost; n++ {
		if in.Slug = in.Project.Name(); n > 1 {
			in.Slug += "-in-" + strconv.Itoa(n)
		}
		if st, err = a.Turns.Draft(ctx, in); err != nil || !a.idTaken(in.Project, st.DialogID) {
			return st, err
		}
		if err := in.Project.DeleteFile(st.Filename, ""); err != nil {
			return st, err
		}
	}
	return st, refuse(protocol.CodeInternal, "other projects have dialogs of the same name from this second. Nothing was done; ask again")
}

// draftsMost is how many names a session is tried under.
const draftsMost = 20

// idTaken reports whether another project has a dialog of that id.
func (a *Agent) idTaken(p *project.Project, id string) bool {
	all, _ := a.Store.All()
	return slices.ContainsFunc(all, func(other *project.Project) bool {
		_, err := other.StatusOf(id)
		return err == nil && other.Name() != p.Name()
	})
}

// load sends all of a dialog in its order, then continues it: what works in another
// process is followed, and what waits for a human is asked here.
func (a *Agent) load(r *protocol.Request) {
	var in protocol.SessionParams
	if err := r.Decode(&in); err != nil {
		r.Fail(err)
		return
	}
	caught.Go(a.Log, r.Method, func() {
		s, v, w, err := a.reopen(in)
		if err != nil {
			r.Fail(a.inWords(r.Method, err))
			return
		}
		defer s.end(w)
		result, err := caughtOf(a, r.Method, func() (any, error) {
			s.catchUp(&v)
			s.sendPlan()
			return protocol.SessionResult{Modes: s.offer(r.Context(), v.Provider, v.Model)}, nil
		})
		if err != nil {
			r.Fail(a.inWords(r.Method, err))
			return
		}
		w.loaded.Store(true)
		r.Reply(result)
		if v.Status != dialog.Active && len(v.Pending) == 0 {
			return
		}
		if _, err := s.serveTurn(w, nil); err != nil && w.ctx.Err() == nil && !errors.Is(err, errCancelled) {
			s.notice(a.inWords(r.Method, err).Message)
		}
	})
}

// resumeSession goes on with a dialog of which the editor was sent all.
func (a *Agent) resumeSession(ctx context.Context, in protocol.SessionParams) (any, error) {
	s, v, w, err := a.reopen(in)
	if err != nil {
		return nil, err
	}
	defer s.end(w)
	for i := range v.Dialog.Sections {
		s.sent.first(&v.Dialog.Sections[i])
	}
	return protocol.SessionResult{Modes: s.offer(ctx, v.Provider, v.Model)}, nil
}

// reopen opens the dialog that a session's params name, of which nothing was sent yet.
func (a *Agent) reopen(in protocol.SessionParams) (s *session, v view.View, w *work, err error) {
	a.warnIgnored(in)
	p, err := a.findProject(in.CWD)
	if p == nil && err == nil {
		err = refuse(protocol.CodeNotFound, "this folder is no project's deed, so it has no session %q", dialog.Cut(in.SessionID, 100))
	}
	if err == nil {
		v, err = a.Turns.View(p, in.SessionID)
	}
	if err == nil {
		s, err = a.open(p, v.DialogID)
	}
	if err == nil {
		w, err = s.begin(a.ctx)
	}
	if err == nil {
		w.awaitLast()
		s.sent = sent{}
	}
	return s, v, w, err
}

// pageSize is how many sessions one answer of session/list has.
const pageSize = 100

// listSessions lists dialogs, the one written last first: of the project that the human
// named, else of the one whose deed is cwd, else of all. The cursor is the number of
// those before.
func (a *Agent) listSessions(_ context.Context, in protocol.ListParams) (any, error) {
	from := 0
	if in.Cursor != "" {
		var err error
		if from, err = strconv.Atoi(in.Cursor); err != nil || from < 0 {
			return nil, badParams("cursor is none of this agent's. Begin again without it")
		}
	}
	all, err := a.dialogs(in.CWD)
	if err != nil {
		return nil, err
	}
	out := protocol.ListResult{Sessions: []protocol.SessionInfo{}}
	from = min(from, len(all))
	to := min(from+pageSize, len(all))
	for _, d := range all[from:to] {
		out.Sessions = append(out.Sessions, protocol.SessionInfo{
			SessionID: d.info.ID, CWD: d.cwd, Title: d.info.Title, UpdatedAt: d.info.ModTime.UTC().Format(time.RFC3339),
		})
	}
	if to < len(all) {
		out.NextCursor = strconv.Itoa(to)
	}
	return out, nil
}

// listed is a dialog of a list, with the folder of its deed.
type listed struct {
	cwd  string
	info project.DialogInfo
}

func (a *Agent) dialogs(cwd string) (all []listed, err error) {
	var projects []*project.Project
	switch {
	case a.Project != "":
		p, err := a.Store.Project(a.Project)
		if err != nil {
			return nil, err
		}
		projects = append(projects, p)
	case cwd != "":
		p, err := a.findProject(cwd)
		if p == nil || err != nil {
			return nil, err
		}
		projects = append(projects, p)
	default:
		if projects, err = a.Store.All(); err != nil {
			return nil, err
		}
	}
	for _, p := range projects {
		at := cwd
		if at == "" {
			if at, err = filepath.EvalSymlinks(deedOf(p)); err != nil {
				continue // it leads nowhere: a session could not be begun there
			}
		}
		infos, err := p.Dialogs()
		if err != nil {
			return nil, err
		}
		for _, info := range infos {
			all = append(all, listed{at, info})
		}
	}
	slices.SortStableFunc(all, func(x, y listed) int { return cmp.Compare(y.info.ModTime.UnixNano(), x.info.ModTime.UnixNano()) })
	return all, nil
}
