package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vibey/dialog"
	"vibey/provider"
	"vibey/provider/acp"
	"vibey/server/project"
	"vibey/server/turn/record"
	"vibey/tools"
	"vibey/tools/disk"
	"vibey/tools/sandbox"
)

// sessionNote is the kind of the Note that names an agent's session; the last one counts.
// It is a Note and no line of the header, which is written before the agent is started: a
// prompt is on the disk before a foreign program is waited for, and never changes then.
const sessionNote = "session"

// agentWait is how long an agent has for each answer by which it begins. The first start of
// opencode, which makes its database then, took 68 s on two busy cores.
const agentWait = 3 * time.Minute

// goOn returns the agent of the dialog, which goes on where it was: in the process that
// runs, in a session that it can load, or in a new one that is handed the dialog's text.
func (t *turn) goOn(p *acp.Provider, name string) (s *agentSession, err error) {
	s = t.session()
	if s != nil && s.busy {
		return s, nil // if it has ended meanwhile, its messages end with that
	}
	edited, session := t.edited(), ""
	if !edited {
		session = t.sessionID(name)
	}
	if s != nil {
		select {
		case <-s.proc.Exited():
		default:
			if s.name == name && !edited {
				return s, nil
			}
		}
		t.endAgent()
	}
	over := t.tellStart(name)
	defer func() { over(err == nil) }()
	s, err = t.beginAgent(p, name, session)
	if err != nil && errors.Is(err, errNotLoaded) && context.Cause(t.ctx) == nil {
		s, err = t.beginAgent(p, name, "") // it may fail each time, and the text is enough to go on
	}
	if err == nil {
		s.edited = edited
	}
	return s, err
}

// errNotLoaded is an agent that ended, or was silent, while it was to go on with a session.
var errNotLoaded = errors.New("the session was not loaded")

// beginAgent starts the process of an agent and goes on with a session, "" for a new one.
func (t *turn) beginAgent(p *acp.Provider, name, session string) (*agentSession, error) {
	s, can, err := t.startAgent(p, name)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(t.ctx, t.r.agentWait, t.r.silent())
	defer cancel()
	if err := t.beginSession(ctx, s, can, session); err != nil {
		ended := s.ended()
		t.endAgent()
		if errors.Is(err, errNotLoaded) {
			return nil, errors.Join(errNotLoaded, s.notBegun(err, ended))
		}
		return nil, s.notBegun(err, ended)
	}
	return s, nil
}

// errAgentSilent is an agent that did not answer while it began.
var errAgentSilent = errors.New("it did not answer")

func (r *Runner) silent() error { return fmt.Errorf("%w within %v", errAgentSilent, r.agentWait) }

// startAgent starts the process of an agent, claimed by this turn.
func (t *turn) startAgent(p *acp.Provider, name string) (*agentSession, acp.AgentCapabilities, error) {
	can := acp.AgentCapabilities{}
	a, ok := p.Agent(name)
	if !ok {
		return nil, can, &provider.Error{Kind: provider.KindNotFound, Message: fmt.Sprintf("There is no agent %q here. Start with --agent %s=COMMAND, or send a message with another one.", name, name)}
	}
	if err := t.findDeed(); err != nil {
		return nil, can, err
	}
	beside, err := t.heedSettings(a)
	if err != nil {
		return nil, can, err
	}
	s, err := t.r.startAgent(t, a)
	if err != nil {
		return nil, can, err
	}
	s.settings = beside.hash
	ctx, cancel := context.WithTimeoutCause(t.ctx, t.r.agentWait, t.r.silent())
	defer cancel()
	hello := acp.InitializeParams{ProtocolVersion: acp.Version, ClientInfo: &acp.Implementation{Name: "vibey", Version: "1"}}
	hello.ClientCapabilities.FS.ReadTextFile, hello.ClientCapabilities.FS.WriteTextFile, hello.ClientCapabilities.Terminal = !readsItself(a), true, true
	var answer acp.InitializeResult
	err = s.proc.Call(ctx, acp.MethodInitialize, hello, &answer)
	if err == nil && answer.ProtocolVersion != acp.Version {
		err = fmt.Errorf("it speaks version %d of the protocol, and only version %d is spoken here", answer.ProtocolVersion, acp.Version)
	}
	if err != nil {
		ended := s.ended()
		t.endAgent()
		return nil, can, s.notBegun(err, ended)
	}
	return s, answer.AgentCapabilities, nil
}

// readsItself reports whether an agent is told to read files by itself. gemini asks for a
// file before it makes it, and takes each error, whatever its code and words are, for one
// that is there and can't be read: it could make no new file.
func readsItself(a acp.Agent) bool { return path.Base(a.Args[0]) == "gemini" }

// startAgent starts a process for the dialog of t, which has claimed it then.
func (r *Runner) startAgent(t *turn, a acp.Agent) (*agentSession, error) {
	lock, err := t.in.Project.LockAgent(t.f.ID())
	if errors.Is(err, project.ErrBusy) {
		return nil, &provider.Error{Kind: provider.KindBusy, Message: "The agent of this dialog is run by " + project.HolderOf(err) + ". Stop it there, or wait until it ends."}
	}
	if err != nil {
		return nil, err
	}
	dir, leave, err := r.w.AgentDir(t.in.Project.Name(), t.f.ID())
	if err != nil {
		lock.Release()
		return nil, fmt.Errorf("make the folder that the agent starts in: %w", disk.Cause(err))
	}
	s := &agentSession{
		key: t.key(), name: a.Name, lock: lock, p: t.in.Project, cwd: t.deed, claimed: true,
		outside: sandbox.NewOutside(), leave: leave, dir: dir, in: make(chan agentMessage), over: make(chan struct{}), deaf: make(chan struct{}), calls: map[string]*agentCall{}, idle: time.NewTimer(agentIdle),
	}
	s.idle.Stop()
	s.proc, err = acp.Start(acp.Command{Args: a.Args, Dir: s.dir, Env: append(append(agentEnv(os.Environ(), r.w.AgentPath(), s.dir), a.Env...), s.outside.Env())}, acp.Config{
		Handle: s.handle, Log: r.w.Log,
		Stray: func(line []byte, why string) {
			text := dialog.Clean(t.masked(string(line)), 200)
			s.stray.CompareAndSwap(nil, &text)
			r.w.Log.Debug("a line of an agent was passed over", "agent", a.Name, "why", why, "line", text)
		},
	})
	if err != nil {
		leave()
		lock.Release()
		return nil, &provider.Error{Kind: provider.KindNotFound, Message: fmt.Sprintf("The agent %s could not be started: %s. Look at the command that --agent gives it.", a.Name, s.inWords(bare(err)))}
	}
	s.outside.Mark(s.proc.Pid())
	r.mu.Lock()
	r.agents[s.key] = s
	r.mu.Unlock()
	t.agent = s
	r.serve(s)
	return s, nil
}

// bare is why a program could not be started, without the path of it.
func bare(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*exec.Error](err); ok {
		return e.Err
	}
	return err
}

// told is an error's text without the machine's path of the deed.
func told(err error, deed string) string { return strings.ReplaceAll(err.Error(), deed, "deed") }

// inWords is an error's text without the machine's paths of the deed and of the folder that
// the agent starts in.
func (s *agentSession) inWords(err error) string {
	return strings.ReplaceAll(told(err, s.cwd), s.dir, "the folder that it starts in")
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

// ended reports whether the connection to an agent has ended by itself. What the agent wrote
// before that is read then: that it can't be written to is seen first.
func (s *agentSession) ended() bool {
	if s.proc.Err() == nil {
		return false
	}
	select {
	case <-s.deaf:
	case <-time.After(agentGrace):
	}
	return true
}

// notBegun is why an agent could not begin, in words. ended says that it, or the connection
// to it, had ended by itself.
func (s *agentSession) notBegun(err error, ended bool) error {
	if st, ok := errors.AsType[*record.Stopped](err); ok {
		return st
	}
	e, isRPC := errors.AsType[*acp.Error](err)
	inWords, isWords := errors.AsType[*provider.Error](err)
	switch {
	case isWords:
		return inWords
	case isRPC && e.Code == acp.CodeAuthRequired:
		return &provider.Error{Kind: provider.KindAuth, Message: fmt.Sprintf("The agent %s wants you to sign in first (%s). Do it in a terminal with its own program, then press Continue.", s.name, clip(e.Message))}
	case isRPC:
		return &provider.Error{Kind: provider.KindRefused, Message: fmt.Sprintf("The agent %s refused to begin: %s.", s.name, clip(e.Error()))}
	case errors.Is(err, errAgentSilent):
		return &provider.Error{Kind: provider.KindIdle, Message: fmt.Sprintf("The agent %s did not begin: %v. Its process was ended.%s Press Continue to start it again.", s.name, err, s.wrote())}
	}
	why := s.inWords(err)
	if ended {
		why = s.why(err)
	}
	return &provider.Error{Kind: provider.KindCut, Message: fmt.Sprintf("The agent %s did not begin: %s.%s Look at the command that --agent gives it, then press Continue.", s.name, clip(why), s.wrote())}
}

// wrote quotes what an agent wrote instead of a message, a sentence behind a blank; "" for
// nothing. A program that speaks no ACP greets its human so.
func (s *agentSession) wrote() string {
	line := s.stray.Load()
	if line == nil {
		return ""
	}
	return fmt.Sprintf(" It wrote what is no message of the protocol, first %q.", s.inWords(errors.New(*line)))
}

// why is how the agent ended where it has, else err.
func (s *agentSession) why(err error) string {
	if why := s.proc.Why(); why != "" {
		return s.inWords(errors.New(why))
	}
	return s.inWords(err)
}

func clip(text string) string { return dialog.Clean(text, 1000) }

// beginSession goes on with a session, where the agent can, or begins a new one, as for "".
// What the agent replays of a loaded session stands in the file.
func (t *turn) beginSession(ctx context.Context, s *agentSession, can acp.AgentCapabilities, session string) error {
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
			s.sealed, _ = t.sealed()
			s.loaded = true
			return t.beginAsking(ctx, s, begun.Modes)
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
	if err := t.tellSession(s); err != nil {
		return err
	}
	return t.beginAsking(ctx, s, begun.Modes)
}

// sessionID returns the session of that agent that the file names, "" for none.
func (t *turn) sessionID(agent string) string {
	d := t.dialog()
	for i := len(d.Sections) - 1; i >= 0; i-- {
		switch sec := &d.Sections[i]; {
		case sec.Torn:
		case sec.Role == dialog.Note && sec.Kind() == sessionNote:
			if sec.Meta.Get("Model") != agent {
				return ""
			}
			return sec.Meta.Get("Session")
		case sec.Role == dialog.Assistant && sec.Meta.Has("Api") && sec.Meta.Get("Api") != acp.API:
			return "" // another model has spoken since
		}
	}
	return ""
}

// seal puts into the last Assistant of secs, which are about to be appended, the Prefix of
// all up to and with it: what the agent remembers when it stands. An edit before that the
// Prefix before it shows stays to be seen.
func (t *turn) seal(s *agentSession, secs []dialog.Section) error {
	if err := t.agree(); err != nil { // mail may have come
		return err
	}
	if prefix, now := t.sealed(); prefix != now {
		return nil
	}
	for i := len(secs) - 1; i >= 0; i-- {
		if secs[i].Role == dialog.Assistant {
			s.sealed = t.prefixes.With(t.dialog(), secs[:i+1])
			secs[i].Meta = secs[i].Meta.With("Prefix", s.sealed)
			return nil
		}
	}
	return nil
}

// edited reports whether a text that the agent remembers is no longer the file's: a human
// has changed it since. Its session is of another dialog then. That the file's end was cut
// off is seen while the session runs; later the text alone can't tell.
func (t *turn) edited() bool {
	prefix, now := t.sealed()
	return prefix != now || t.agent != nil && prefix != t.agent.sealed
}

// sealed returns the last Prefix that an agent's sections name, and what it would be by
// the text as it is now; both are empty where there is none.
func (t *turn) sealed() (prefix, now string) {
	d := t.dialog()
	for i := len(d.Sections) - 1; i >= 0; i-- {
		s := &d.Sections[i]
		said := s.Role == dialog.Assistant && s.Meta.Get("Api") == acp.API || s.Role == dialog.Note && s.Kind() == sessionNote
		if said && s.Meta.Has("Prefix") {
			return s.Meta.Get("Prefix"), t.prefixes.At(d, i+1)
		}
	}
	return "", ""
}

// tellSession appends the Note that names a new session. In a dialog that has a past
// the agent is handed its text, which the Note behind it says.
func (t *turn) tellSession(s *agentSession) error {
	id := s.id
	if !dialog.OneLine(id) || len(id) > record.MetaMost {
		id = "" // it can't be kept, so that it can't be loaded either
	}
	note := t.newNote(0, sessionNote, "", "The agent "+s.name+" works in this session.")
	s.sealed = t.prefixes.With(t.dialog(), nil)
	note.Meta = note.Meta.With("Model", s.name).With("Session", id).With("Prefix", s.sealed)
	return t.append(note)
}

// told reports whether the session that runs is told of the dialog, by what stands behind
// the Note that names it: a prompt was answered, or its answer was cut off. An answer that a
// kill cut off has not got the lines that stand at its end, its Api among them.
func (t *turn) told(s *agentSession) bool {
	d := t.dialog()
	for i := len(d.Sections) - 1; i >= 0; i-- {
		switch sec := &d.Sections[i]; {
		case sec.Torn:
		case sec.Role == dialog.Note && sec.Kind() == sessionNote:
			return false
		case sec.Role == dialog.Assistant && (!sec.Meta.Has("Api") || sec.Meta.Get("Api") == acp.API), sec.Role == dialog.ToolRequest && sec.Meta.Get("Api") == dialog.APIAgent, sec.Role == dialog.Note && sec.Kind() == "plan":
			return true
		}
	}
	return false
}

// handoverMost is how much of a dialog's text a new session is handed: the end of it.
const handoverMost = 100 << 10

// promptBlocks is what the agent is told next: for a session that knows nothing of the
// dialog its system text and what was said so far, then what was not answered yet.
func (t *turn) promptBlocks(s *agentSession) ([]acp.ContentBlock, error) {
	t.b.Extend(t.dialog())
	h := t.b.History()
	var texts []string
	for _, it := range h.Items[h.Stable:] {
		if it.Kind == dialog.UserText {
			texts = append(texts, it.Text)
		}
	}
	var before []string
	for _, s := range untold(t.dialog()) {
		text := s.Text()
		if s.Role == dialog.User {
			text = dialog.UserInput(s)
		}
		if !slices.Contains(texts, text) { // an answer without words ends no message
			before = append(before, text)
		}
	}
	texts = append(before, texts...)
	if len(texts) == 0 {
		if err := t.note("nudge", "model", record.Continue); err != nil {
			return nil, err
		}
		texts = []string{record.Continue}
	}
	var blocks []acp.ContentBlock
	if !t.told(s) {
		blocks = append(blocks, acp.Text(h.System))
		past := slices.Clone(h.Items[:h.Stable])
		for _, it := range h.Items[h.Stable:] {
			if it.Kind == dialog.ResultItem {
				past = append(past, it) // of the last calls, which no answer has followed
			}
		}
		if past := handover(past); past != "" {
			what, why := " began a new session, and was handed the text of this dialog.", beganElsewhere
			switch {
			case s.edited:
				what += " What it remembers was changed in the file."
			case s.loaded:
				what, why = " goes on with its session, and was handed the text of this dialog again: nothing here shows that it got it before.", mayBeKnown
			}
			if err := t.note("handover", "human", "The agent "+s.name+what); err != nil {
				return nil, err
			}
			blocks = append(blocks, acp.Text("[HANDOVER] "+why+past))
		}
	}
	for _, text := range texts {
		blocks = append(blocks, acp.Text(text))
	}
	return blocks, nil
}

// handover is the past of a dialog as a text, "" where there is none.
func handover(items []dialog.Item) string {
	var b strings.Builder
	for _, it := range items {
		switch it.Kind {
		case dialog.UserText:
			b.WriteString("\n## User\n\n" + it.Text + "\n")
		case dialog.AssistantText:
			b.WriteString("\n## Assistant\n\n" + it.Text + "\n")
		case dialog.CallItem:
			b.WriteString("\n## Tool call " + it.Tool + "\n\n" + dialog.Cut(it.Args, 2000) + "\n")
		case dialog.ResultItem:
			b.WriteString("\n## Its result\n\n" + dialog.Cut(it.Text, 2000) + "\n")
		}
	}
	text := b.String()
	if text == "" {
		return ""
	}
	if cut := len(text) - handoverMost; cut > 0 {
		text = "\n(The beginning is left out.)\n" + strings.ToValidUTF8(text[cut:], "")
	}
	return text
}

// What a handover begins with.
const (
	beganElsewhere = "This conversation began in another session, of which you know nothing. What was said and done in it follows; go on from there.\n"
	mayBeKnown     = "What was said and done in this conversation until now follows. You may know it already; go on from there.\n"
)

// masked hides this program's secrets in what an agent tells.
func (t *turn) masked(text string) string { return tools.Masker(t.r.w.Secrets())(text) }
