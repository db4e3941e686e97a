// Package view reads dialogs and their projects for people and programs that watch. It
// owns what a dialog is for its readers, as its file stands, and appends nothing to it.
//
// Begin with Reader and World, which says what a Reader reaches. Reader.View reads one
// dialog, Join watches it, Summarize makes its line of the list, Rules reads doc-main.md. State and Standing are what JSON has of a dialog.
// Reader.Decide and Policy say which calls run, wait or are refused.
package view

import (
	"log/slog"
	"sync"
	"time"

	"vibey/dialog"
	"vibey/dialog/governor"
	"vibey/dialog/grant"
	"vibey/provider"
	"vibey/server/hub"
	"vibey/server/project"
	"vibey/tools"
	"vibey/tools/mcp"
	"vibey/tools/sandbox"
)

// World is what a Reader reaches beyond the files of a dialog.
type World struct {
	Store *project.Store
	// Provider returns the provider configured under a name.
	Provider func(name string) (provider.Provider, bool)
	// Sandbox runs commands; Home makes and names the HOME that a project's
	// commands have, another one for those with the network.
	Sandbox *sandbox.Runner
	Home    func(project string, network bool) (string, error)
	// Layers reports whether commands of a project can be tried; nil: they can't, and ask.
	Layers func(*project.Project) bool
	// Key is the install key; InFiles honours control text put into files by hand.
	Key     []byte
	InFiles bool
	// MCP holds the connections to the MCP servers that a human has named; nil: there are
	// none.
	MCP *mcp.Manager
	// Plain returns the words of markdown without its marks; nil leaves them.
	Plain func(markdown string) string
	Now   func() time.Time
	Log   *slog.Logger
}

// Turns is what a Reader asks of the turns that run in this process.
type Turns struct {
	// Hub returns the hub of the turn that runs in a dialog, nil for none.
	Hub func(hub.Key) *hub.Hub
	// HasAgent reports whether the agent of a dialog runs, here or in another process.
	HasAgent func(p *project.Project, id string) bool
	// FailOrphaned appends results to the calls of an agent that has ended, so that no
	// human decides them. It returns false if none were written, and none will be.
	FailOrphaned func(p *project.Project, id string) bool
}

// Reader reads dialogs.
type Reader struct {
	Room hub.Room // of all hubs of this process

	w     *World
	turns Turns
	sets  toolSets
	readings
}

// Authority returns what a human's grant in that dialog is verified with.
func (r *Reader) Authority(project, id string) grant.Authority {
	return grant.Authority{Key: r.w.Key, Project: project, DialogID: id, InFiles: r.w.InFiles}
}

// Policy is what the tools of dialog id of p say about asking. If nothing contains a
// command, no blanket covers one.
func (r *Reader) Policy(p *project.Project, id string, set *tools.Set) grant.Policy {
	return grant.Policy{
		Free: func(tool string) bool {
			t, ok := set.Lookup(tool)
			return ok && !t.Asks
		},
		Broken: func(tool, input string) bool {
			return dialog.LongInput(input) || !dialog.AgentTool(tool) && set.Check(tool, input) != nil
		},
		AgentGone: sync.OnceValue(func() bool { return !r.turns.HasAgent(p, id) }),
		Path:      tools.Named,
		Known:     r.Names(),
		Layers:    sync.OnceValue(func() bool { return r.w.Layers != nil && r.w.Layers(p) }),
		Real: func(tool, input string) string {
			env, err := lookEnv(p)
			if err != nil {
				return "" // no call could run there either
			}
			return tools.Real(env, tool, input)
		},
		NeverBlanket: func(tool, input string) bool {
			return (tool == "run_command" || tool == "start_server") && !r.contained() || tools.NeverBlanket(tool, input)
		},
	}
}

// Decide returns the open calls of a dialog with the verdict on each.
func (r *Reader) Decide(p *project.Project, id string, d *dialog.Dialog) []grant.Call {
	return grant.Decide(d, grant.Of(d, r.Authority(p.Name(), id)), r.Policy(p, id, r.ToolsOf(d)))
}

// ToolsOf returns the tools of a dialog, by its System section.
func (r *Reader) ToolsOf(d *dialog.Dialog) *tools.Set { return r.sets.of(d) }

// Names are those that doc-main.md may use here.
func (r *Reader) Names() grant.Known { return tools.Known(r.w.MCP.Names()) }

// contained reports whether commands run behind walls.
func (r *Reader) contained() bool { return r.w.Sandbox.Level() != sandbox.None }

// Judge returns a judge of d that has folded nothing yet. A tool that d does not
// have has the class 0.
func (r *Reader) Judge(d *dialog.Dialog, rules grant.Rules) *governor.Judge {
	return governor.New(rules, func(tool string) dialog.Class {
		known, _ := r.ToolsOf(d).Lookup(tool)
		return known.Class
	})
}

// Intent returns the intent of text as the next prompt of a dialog, by its words; "" if
// they show none.
func (r *Reader) Intent(p *project.Project, id, text string) (string, error) {
	t, err := p.ReadDialog(id)
	if err != nil {
		return "", err
	}
	return governor.IntentOf(dialog.Parse(t.Text), text), nil
}
