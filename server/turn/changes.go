package turn

import (
	"context"
	"io/fs"
	"strings"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/server/project"
	"vibey/tools"
)

// CallChange is what one call made of one file, as a human reviews it. Of the hashes "" is no
// file.
type CallChange struct {
	Call     string       `json:"call"`
	Path     string       `json:"path"`
	SHA256   string       `json:"sha256"`            // as the call left it
	Replaced string       `json:"replaced"`          // as it was before
	Now      string       `json:"now"`               // as it is
	Mode     string       `json:"mode,omitempty"`    // the permissions that the call left, in octal; "" if those of a new file, or as they were
	ModeWas  string       `json:"modeWas,omitempty"` // those that it found
	Taken    string       `json:"taken,omitempty"`   // the undo that took it back
	Why      string       `json:"why,omitempty"`     // why there are no hunks, within a sentence
	Stays    string       `json:"stays,omitempty"`   // why none can be taken back here
	Hunks    []ChangeHunk `json:"hunks"`
}

// ChangeHunk is a hunk of that: which lines of the file, as the call left it, stand in whose
// place, and what stands around them.
type ChangeHunk struct {
	From  int      `json:"from"` // from 1 on
	To    int      `json:"to"`   // from-1 where lines were only taken out
	Was   int      `json:"was"`  // the line, before the call, at which Old began
	Old   []string `json:"old"`
	New   []string `json:"new"`
	Above []string `json:"above"`
	Below []string `json:"below"`
	Byte  int      `json:"byte"`            // where the first of Above and New begins in that file
	Taken string   `json:"taken,omitempty"` // the undo that took it back
}

// Bounds of what Changes returns: lines around a hunk, and bytes in all.
const (
	aroundHunk  = 3
	changesMost = 8 << 20
)

// Changes returns what a call, or the calls of the turn that begins with the User section of,
// made of files, in their order. It reads alone. Errors: fs.ErrNotExist; ErrDeed as of Undo.
func (r *Runner) Changes(ctx context.Context, p *project.Project, id, of string) ([]CallChange, error) {
	file, err := p.ReadDialog(id)
	if err != nil {
		return nil, err
	}
	d := file.Parse()
	turn := d.Find(dialog.User, of) >= 0
	if !turn && d.Find(dialog.ToolRequest, of) < 0 {
		return nil, refuse(fs.ErrNotExist, "there is no message and no call %q in this dialog", dialog.Clean(of, 100))
	}
	log := change.Of(d)
	made := log.Made(of, turn)
	var files []change.FileUndo
	for _, s := range made {
		files = append(files, change.FileUndo{Path: s.Path})
	}
	b, err := r.putter(p, id, d, log, files)
	if err != nil {
		return nil, err
	}
	out, room, seen := []CallChange{}, changesMost, map[string]tools.Found{}
	for _, s := range made {
		c := CallChange{Call: s.ID, Path: s.Path, SHA256: s.After, Replaced: s.Before, Taken: log.Taken(s, change.Part{}), Hunks: []ChangeHunk{}}
		if s.After != "" && s.BeforePerm != s.AfterPerm {
			c.Mode, c.ModeWas = octal(s.AfterPerm), octal(s.BeforePerm)
		}
		now, known := seen[s.Path]
		if !known {
			if now, c.Stays = b.Now(ctx, s); c.Stays == "" { // the hunks are the call's, whatever stands there now
				seen[s.Path] = now
			}
		}
		c.Now = now.SHA256
		if o, forked := d.Header.Origin(); forked && s.Section < d.Inherited() {
			c.Stays = "that was done in the dialog " + o.Dialog + "; take it back there"
		}
		x, why := b.Sides(s, now)
		if room -= len(x.Before) + len(x.After); why == "" && room < 0 {
			why = "all changes together are too much to be shown here"
		}
		if c.Why = why; why == "" {
			c.Hunks = hunksOf(x.Before, x.After)
		}
		for i := range c.Hunks {
			h := &c.Hunks[i]
			if by := log.Taken(s, change.Part{Path: s.Path, From: h.From, To: h.To}); by != c.Taken {
				h.Taken = by
			}
		}
		out = append(out, c)
	}
	return out, nil
}

// octal is permissions as a result has them, "" for those that it leaves out.
func octal(perm uint32) string {
	if perm == 0 {
		return ""
	}
	return change.Octal(perm)
}

// hunksOf returns the hunks of a change with the lines around them, each line once.
func hunksOf(before, after string) []ChangeHunk {
	old, is := strings.Split(before, "\n"), strings.Split(after, "\n")
	out := []ChangeHunk{}
	shown, at, bytes := 0, 0, 0 // lines of is that are shown, and one whose offset is known
	all := change.Hunks(before, after)
	last := len(is)
	if is[last-1] == "" {
		last-- // behind the last line feed
	}
	for i, h := range all {
		above := max(shown, h.From-1-aroundHunk)
		below := min(last, h.To+aroundHunk)
		if i+1 < len(all) {
			below = min(below, all[i+1].From-1)
		}
		for ; at < above; at++ {
			bytes += len(is[at]) + 1
		}
		out = append(out, ChangeHunk{
			From: h.From, To: h.To, Was: h.OldFrom, Byte: bytes,
			Old: old[h.OldFrom-1 : h.OldTo], New: is[h.From-1 : h.To], Above: is[above : h.From-1], Below: is[h.To:max(h.To, below)],
		})
		shown = max(h.To, below)
	}
	return out
}
