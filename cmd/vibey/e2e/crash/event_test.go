package crash

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// event is one thing that happened, in the words of the lab. Paths are relative
// to the folder that is watched.
type event struct {
	kind string // see the constants
	path string
	to   string // of a rename: the new name
	text string // what was written, or said
	off  int64  // of an overwrite: where; of a cut: the new length
	conn string // of something said: to whom
}

// The kinds of event.
const (
	create    = "create"    // a new, empty file
	empty     = "empty"     // opened for writing anew
	grow      = "grow"      // text at the end
	overwrite = "overwrite" // text at off
	cut       = "cut"       // to off bytes
	folder    = "folder"    // made
	rename    = "rename"
	remove    = "remove"
	link      = "link"
	sync      = "sync" // of a file, or of a folder's names
	said      = "said" // written to a socket
	ran       = "ran"  // a command of the script began: its call's id
)

// ranMark stands in front of a call's id in what each command of the script
// prints first.
const ranMark = "ran:"

// events translates the calls of a trace, and leaves out what is not below base.
func events(calls []call, base string) ([]event, error) {
	var out []event
	for _, c := range calls {
		if c.ret < 0 {
			continue
		}
		e, ok, err := translate(c)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if e.kind != said && e.kind != ran {
			var in bool
			if e.path, in = below(base, e.path); !in {
				continue
			}
			if e.to != "" {
				if e.to, in = below(base, e.to); !in {
					return nil, fmt.Errorf("%s is renamed out of the folder that is watched", e.path)
				}
			}
		}
		out = append(out, e)
	}
	return out, nil
}

func below(base, path string) (string, bool) {
	if path == base {
		return ".", true
	}
	return strings.CutPrefix(path, base+"/")
}

func translate(c call) (e event, ok bool, err error) {
	switch c.name {
	case "openat":
		flags := c.args[2].word
		switch {
		case strings.Contains(flags, "O_TRUNC"):
			return event{kind: empty, path: c.path}, true, nil
		case strings.Contains(flags, "O_CREAT"):
			return event{kind: create, path: c.path}, true, nil
		}
		return e, false, nil
	case "write", "writev":
		return written(c)
	case "pwrite64":
		off, err := strconv.ParseInt(c.args[3].word, 0, 64)
		return event{kind: overwrite, path: c.args[0].path, text: c.args[1].text[:c.ret], off: off}, !c.args[0].gone, err
	case "ftruncate":
		off, err := strconv.ParseInt(c.args[1].word, 0, 64)
		return event{kind: cut, path: c.args[0].path, off: off}, !c.args[0].gone, err
	case "fsync", "fdatasync":
		return event{kind: sync, path: c.args[0].path}, !c.args[0].gone, nil
	case "symlinkat":
		return e, false, nil // a deed that a human made lead elsewhere; the script has none
	}
	return named(c)
}

// named are the calls that change names, each relative to a folder.
func named(c call) (e event, ok bool, err error) {
	at := func(i int) string {
		if filepath.IsAbs(c.args[i+1].text) {
			return filepath.Clean(c.args[i+1].text)
		}
		return filepath.Join(c.args[i].path, c.args[i+1].text)
	}
	switch c.name {
	case "renameat", "renameat2":
		return event{kind: rename, path: at(0), to: at(2)}, true, nil
	case "linkat":
		return event{kind: link, path: at(0), to: at(2)}, true, nil
	case "unlinkat":
		return event{kind: remove, path: at(0)}, true, nil
	case "mkdirat":
		return event{kind: folder, path: at(0)}, true, nil
	}
	return e, false, fmt.Errorf("the lab does not know the call %s", c.name)
}

// written is text in a file, said over a connection, or a command's first word.
func written(c call) (event, bool, error) {
	to, text := c.args[0], c.args[1].text
	if int64(len(text)) < c.ret {
		return event{}, false, fmt.Errorf("%d bytes were written, the trace has %d: more than strace was told to keep", c.ret, len(text))
	}
	text = text[:c.ret]
	switch {
	case strings.HasPrefix(to.path, "socket:"), strings.HasPrefix(to.path, "TCP"):
		return event{kind: said, conn: to.path, text: text}, true, nil
	case strings.HasPrefix(to.path, "/") && !to.gone:
		return event{kind: grow, path: to.path, text: text}, true, nil
	}
	id, marked := strings.CutPrefix(strings.TrimSpace(text), ranMark)
	return event{kind: ran, text: id}, marked, nil
}

// withoutStartSync is the control: the same trace of a protocol that does not
// sync the Note that a tool starts before it runs. The lab must catch it. Until the first
// of the dropped syncs, where first is, it is as it was.
func withoutStartSync(all []event) (out []event, first, dropped int) {
	unsynced := ""
	for _, e := range all {
		if e.kind == grow && strings.Contains(e.text, "\n> Kind: started\n") {
			unsynced = e.path
		}
		if e.kind == sync && e.path == unsynced {
			unsynced = ""
			if dropped++; dropped == 1 {
				first = len(out)
			}
			continue
		}
		out = append(out, e)
	}
	return slices.Clip(out), first, dropped
}
