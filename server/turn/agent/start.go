package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vibey/dialog"
	"vibey/provider"
	"vibey/provider/acp"
	"vibey/server/hub"
	"vibey/server/project"
	"vibey/tools/caught"
	"vibey/tools/disk"
	"vibey/tools/sandbox"
)

// resume returns the agent of the dialog, which goes on as it was: in the process that
// runs, in a session that it can load, or in a new one that is handed the dialog's text.
func (p *Partner) resume(agents *acp.Provider, name string) (s *session, err error) {
	s = p.s
	if s != nil && s.busy {
		return s, nil // if it has ended meanwhile, its messages end with that
	}
	edited, session := p.wasEdited(), ""
	if !edited {
		session = p.sessionID(name)
	}
	if s != nil && !s.proc.Ended() && s.name == name && !edited {
		return s, nil
	}
	p.End()
	over := p.announceStart(name)
	defer func() { over(err == nil) }()
	s, err = p.beginAgent(agents, name, session)
	if err != nil && errors.Is(err, errNotLoaded) && context.Cause(p.turn.Context()) == nil {
		s, err = p.beginAgent(agents, name, "") // it may fail each time, and the text is enough to go on
	}
	if err == nil {
		s.edited = edited
	}
	return s, err
}

// beginAgent starts the process of an agent and goes on with a session, "" for a new one.
func (p *Partner) beginAgent(agents *acp.Provider, name, session string) (*session, error) {
	a, ok := agents.Agent(name)
	if !ok {
		return nil, &provider.Error{Kind: provider.KindNotFound, Message: fmt.Sprintf("There is no agent %q here. Start with --agent %s=COMMAND, or send a message with another one.", name, name)}
	}
	deed, err := p.turn.Deed()
	if err != nil {
		return nil, err
	}
	beside, err := p.checkSettings(a, deed)
	if err != nil {
		return nil, err
	}
	s, err := p.launch(a, deed)
	if err != nil {
		return nil, err
	}
	s.beside = beside.hash
	can, err := p.initialize(s, !readsItself(a))
	if err == nil {
		s.images = can.PromptCapabilities.Image
		err = p.beginSession(s, can, session)
	}
	if err == nil {
		return s, nil
	}
	ended := s.ended()
	p.End()
	if errors.Is(err, errNotLoaded) {
		return nil, errors.Join(errNotLoaded, s.notBegun(err, ended))
	}
	return nil, s.notBegun(err, ended)
}

// initialize says to an agent that has just started what can be asked here, and returns
// what it can do.
func (p *Partner) initialize(s *session, reads bool) (acp.AgentCapabilities, error) {
	ctx, cancel := p.soon()
	defer cancel()
	hello := acp.InitializeParams{ProtocolVersion: acp.Version, ClientInfo: &acp.Implementation{Name: "vibey", Version: "1"}}
	hello.ClientCapabilities.FS.ReadTextFile, hello.ClientCapabilities.FS.WriteTextFile, hello.ClientCapabilities.Terminal = reads, true, true
	var answer acp.InitializeResult
	err := s.proc.Call(ctx, acp.MethodInitialize, hello, &answer)
	if err == nil && answer.ProtocolVersion != acp.Version {
		err = fmt.Errorf("it speaks version %d of the protocol, and only version %d is spoken here", answer.ProtocolVersion, acp.Version)
	}
	return answer.AgentCapabilities, err
}

// readsItself reports whether an agent must read files by itself. gemini asks for a
// file before it makes it, and takes each error, whatever its code and words are, for one
// that is there and can't be read: it could make no new file.
func readsItself(a acp.Agent) bool { return path.Base(a.Args[0]) == "gemini" }

// launch starts the process of an agent, claimed by this turn.
func (p *Partner) launch(a acp.Agent, deed string) (*session, error) {
	lock, err := p.turn.Project.LockAgent(p.turn.ID)
	if errors.Is(err, project.ErrBusy) {
		return nil, &provider.Error{Kind: provider.KindBusy, Message: "The agent of this dialog is run by " + project.HolderOf(err) + ". Stop it there, or wait until it ends."}
	}
	if err != nil {
		return nil, err
	}
	dir, leave, err := p.all.Dir(p.turn.Project.Name(), p.turn.ID)
	if err != nil {
		lock.Release()
		return nil, fmt.Errorf("make the folder that the agent starts in: %w", disk.Cause(err))
	}
	s := &session{
		key: keyOf(p.turn), name: a.Name, lock: lock, p: p.turn.Project, cwd: deed, claimed: true,
		outside: sandbox.NewOutside(), leave: leave, dir: dir, in: make(chan message), over: make(chan struct{}), deaf: make(chan struct{}), calls: map[string]*toolCall{}, idle: time.NewTimer(agentIdle),
	}
	s.idle.Stop()
	s.proc, err = acp.Start(acp.Command{Args: a.Args, Dir: s.dir, Env: append(append(agentEnv(os.Environ(), p.all.Path(), s.dir), a.Env...), s.outside.Env())}, acp.Config{
		Handle: s.handle, Log: p.all.Log,
		Stray: func(line []byte, why string) {
			text := dialog.Clean(p.masked(string(line)), 200)
			s.stray.CompareAndSwap(nil, &text)
			p.all.Log.Debug("a line of an agent was passed over", "agent", a.Name, "why", why, "line", text)
		},
	})
	if err != nil {
		leave()
		lock.Release()
		return nil, &provider.Error{Kind: provider.KindNotFound, Message: fmt.Sprintf("The agent %s could not be started: %s. Look at the command that --agent gives it.", a.Name, s.inWords(bare(err)))}
	}
	s.outside.Mark(s.proc.Pid())
	p.s = s
	p.all.serve(s)
	return s, nil
}

// agentEnv is the environment of an agent: environ, which has the agent's keys, without what
// is this program's own, and with that PATH and working directory. Of the lists of folders
// by which programs find their parts the relative and empty entries are left out: the agent
// starts programs in the deed, where they would lead to files of the deed.
func agentEnv(environ []string, path, dir string) (env []string) {
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		switch {
		case strings.HasPrefix(name, "VIBEY_"), name == "PATH", name == "PWD", name == "OLDPWD":
			continue
		case slices.Contains(foldersOf, name):
			entries := slices.DeleteFunc(filepath.SplitList(value), func(e string) bool { return !filepath.IsAbs(e) })
			if len(entries) == 0 {
				continue
			}
			v = name + "=" + strings.Join(entries, string(os.PathListSeparator))
		}
		env = append(env, v)
	}
	return append(env, "PATH="+path, "PWD="+dir)
}

// foldersOf are variables that hold, as PATH does, a list in which an empty or relative
// entry is a place in the working directory.
var foldersOf = []string{"LD_LIBRARY_PATH", "LD_PRELOAD", "DYLD_LIBRARY_PATH", "PYTHONPATH", "NODE_PATH", "PERL5LIB", "RUBYLIB", "CLASSPATH"}

// beginSession goes on with a session, if the agent can, or begins a new one, as for "".
// What the agent replays of a loaded session stands in the file.
func (p *Partner) beginSession(s *session, can acp.AgentCapabilities, session string) error {
	ctx, cancel := p.soon()
	defer cancel()
	params := acp.SessionParams{SessionID: session, CWD: s.cwd, MCPServers: []json.RawMessage{}}
	method := ""
	switch {
	case params.SessionID == "":
	case can.SessionCapabilities.Resume != nil:
		method = acp.MethodResume
	case can.LoadSession:
		method = acp.MethodLoad
	}
	var begun acp.SessionResult
	if method != "" {
		err := s.proc.Call(ctx, method, params, &begun)
		if _, refused := errors.AsType[*acp.Error](err); !refused {
			s.id = params.SessionID
			if err != nil {
				return errors.Join(errNotLoaded, err)
			}
			s.sealed, _ = p.lastPrefix()
			s.loaded = true
			return p.beginAsking(ctx, s, begun.Modes)
		}
	}
	params.SessionID = ""
	if err := s.proc.Call(ctx, acp.MethodNew, params, &begun); err != nil {
		return err
	}
	if begun.SessionID == "" {
		return errors.New("it named no session")
	}
	s.id = begun.SessionID
	if err := p.appendSession(s); err != nil {
		return err
	}
	return p.beginAsking(ctx, s, begun.Modes)
}

// announceStart publishes that an agent starts, once that has taken StartSoon: nothing else
// is seen of it until then. It is an event alone, since nothing of it is worth keeping. The
// caller must call over with how the start went; nothing is published behind that.
func (p *Partner) announceStart(name string) (over func(ok bool)) {
	end, announced := make(chan struct{}), make(chan bool, 1)
	caught.Go(p.all.Log, "announcing that an agent starts", func() {
		done := false
		defer func() { announced <- done }()
		select {
		case <-end:
		case <-time.After(p.all.StartSoon):
			p.turn.Publish(hub.Event{Type: hub.NoteEvent, Kind: "starting", Text: name + " is starting. The first time this may take a minute."})
			done = true
		}
	})
	return func(ok bool) {
		close(end)
		if <-announced && ok {
			p.turn.Publish(hub.Event{Type: hub.NoteEvent, Kind: "ready", Text: name + " has started."})
		}
	}
}
