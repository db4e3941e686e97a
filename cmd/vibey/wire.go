package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"vibey/dialog"
	"vibey/server/markdown"
	"vibey/server/project"
	"vibey/server/turn"
	"vibey/server/view"
	"vibey/tools/caught"
	"vibey/tools/mcp"
	"vibey/tools/sandbox"
	"vibey/vibey"
)

// program holds the parts that every verb uses; serve adds the HTTP server.
type program struct {
	verb      string
	state     *state
	key       []byte // the install key: what makes an approval a human's
	token     string // what every request bears
	store     *project.Store
	providers *providers
	mcp       *mcp.Manager
	sandbox   *sandbox.Runner
	runner    *turn.Runner
	disks     func() bool // durable, looked at once
	log       *slog.Logger
}

// wire makes the program of the flags, for a verb that runs calls. It reads nothing
// in the projects' folder. What is of that level at least is logged to log.
func wire(verb string, f programFlags, log io.Writer, level slog.Level) (*program, error) {
	h := &program{verb: verb}
	h.log = f.logger(log, level, h.secrets)
	state, err := f.stateFlag.open(f.Dir, func(text string) { h.log.Warn(text) })
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(f.Dir, 0o755); err != nil {
		return nil, unable{fmt.Errorf("make the projects' folder: %w", err)}
	}
	if err := checkLocks(f.Dir, state.dir); err != nil {
		return nil, unable{err}
	}
	key, err := state.key()
	if err != nil {
		return nil, unable{err}
	}
	token, err := state.token()
	if err != nil {
		return nil, unable{err}
	}
	keys, err := openKeyring(state)
	if err != nil {
		return nil, unable{err}
	}
	flags, _ := f.split()
	defined, err := definedEndpoints(flags, state)
	if err != nil {
		return nil, err
	}
	agents, err := namedAgents(f.Agent, state, exec.LookPath)
	if err != nil {
		return nil, err
	}
	servers, err := definedServers(f.MCP, state)
	if err != nil {
		return nil, err
	}
	h.state, h.key, h.token = state, key, token
	h.mcp = mcp.New(mcp.Config{Servers: servers, Getenv: os.Getenv, Log: h.log})
	h.providers = newProviders(defined, keys, f.Dir, f.Idle, f.Sees, os.Getenv)
	h.providers.addAgents(agents)
	h.disks = sync.OnceValue(func() bool { return h.durable(f.Dir) })
	if h.sandbox, err = walls(f.modelFlags, h.log, state, f.Dir); err != nil {
		return nil, unable{err}
	}
	h.store, h.runner, err = h.open(f.Dir, key, f.ApproveInFiles)
	if err != nil {
		h.sandbox.End()
		return nil, unable{err}
	}
	if verb != "serve" { // which first answers its window
		h.look()
	}
	return h, nil
}

// look ends what a killed program was putting into deeds, and looks at the machine's walls and
// disks, and at what such a program has left, in the background. It tells of both in the log.
func (h *program) look() {
	h.store.FinishApplies()
	h.sandbox.Begin()
	caught.Go(h.log, "looking at the disks", func() { h.disks() })
	caught.Go(h.log, "telling what a killed program has left", func() {
		for _, what := range h.sandbox.Undone() { // it waits
			h.log.Warn("a command of a program that was killed had left this for git to run", "undone", what)
		}
	})
}

// untilStopped returns a context that ends when the program is told to stop. Behind stop a
// second signal ends it at once.
func untilStopped() (stopped context.Context, stop context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// serveStdio serves one client on stdin and stdout until its input ends, or until the
// program is told to stop. Turns that still run then are closed in their files as
// interrupted.
func (f programFlags) serveStdio(verb string, to streams, serve func(context.Context, *program) error) error {
	stopped, stop := untilStopped()
	defer stop()
	h, err := wire(verb, f, to.err, slog.LevelWarn)
	if err != nil {
		return err
	}
	defer h.end()
	err = serve(stopped, h)
	h.closeTurns()
	return err
}

// end ends what runs commands, which leaves nothing of this program in the state dir,
// and closes the projects.
func (h *program) end() {
	h.sandbox.End()
	h.store.Close()
}

// reading is wire for a verb that only reads: it makes no folder, runs no command and
// asks no provider, so that none needs a key. Of the MCP servers only the names are asked.
// Without an install key no Mac is genuine.
func reading(dir dirFlag, st *state, defined []*endpoint, servers []mcp.Server) (*program, error) {
	key, err := st.keyIfMade(io.Discard)
	if err != nil {
		return nil, unable{err}
	}
	h := &program{
		state: st, log: slog.New(slog.DiscardHandler), sandbox: sandbox.Probe(sandbox.Config{}),
		providers: newProviders(defined, &keyring{}, dir.Dir, 0, nil, os.Getenv), mcp: mcp.New(mcp.Config{Servers: servers}),
	}
	h.providers.keyless = true
	if h.store, h.runner, err = h.open(dir.Dir, key, false); err != nil {
		return nil, unable{err}
	}
	return h, nil
}

// open makes the store of a folder and the runner of its turns, which the store's list
// calls to summarize dialogs.
func (h *program) open(dir string, key []byte, inFiles bool) (*project.Store, *turn.Runner, error) {
	var runner *turn.Runner
	store, err := project.Open(dir, project.Options{
		Now: time.Now, Log: h.log, Key: key, As: "vibey " + cmp.Or(h.verb, "reading"), Template: vibey.Template, State: h.state.dir, Stands: h.state.stands, Forget: h.state.forget, Plain: markdown.Plain, Uncommented: markdown.Uncommented,
		Summarize: func(name, id string, st dialog.Status, d *dialog.Dialog, g *dialog.Digest) project.Summary {
			return runner.Summarize(name, id, st, d, g)
		},
	})
	if err != nil {
		return nil, nil, err
	}
	runner = turn.New(&turn.World{
		World: view.World{
			Store: store, Provider: h.providers.Provider, Sandbox: h.sandbox, Home: h.state.home, Key: key, InFiles: inFiles,
			MCP: h.mcp, Plain: markdown.Plain, Now: time.Now, Log: h.log,
			Layers: h.layers,
		},
		Providers: h.providers.Names, ServerHome: h.state.serverHome, AgentDir: h.state.agentDir, Secrets: h.secrets,
		AgentPath: func() string { return pathBeside(os.Getenv("PATH"), append(deedsOf(dir), dir)) },
	})
	return store, runner, nil
}

// layers reports whether commands of a project can be tried.
func (h *program) layers(p *project.Project) bool {
	deed, err := p.DeedDir()
	return err == nil && h.sandbox.NoLayer(deed) == ""
}

// secrets are masked in results and in the log.
func (h *program) secrets() []string {
	if h.providers == nil {
		return nil // it is being wired
	}
	return slices.Concat(h.providers.Secrets(), h.mcp.Secrets(), []string{h.token})
}
