package crash

import (
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
)

// disk is the state of a file system: names and bytes as a program sees them, and
// those that outlive a power cut.
type disk struct {
	names  map[string]*inode // every path, folders too
	safe   map[string]*inode // the names that were synced
	naming []naming          // the changes between the two, in order
}

// inode is one file or folder.
type inode struct {
	folder bool
	text   string
	safe   string // what was synced of it
	writes []event
}

// naming is one change of names that a sync of its folder makes safe.
type naming struct {
	event
	node *inode
}

// newDisk holds files that have long been safe.
func newDisk(files map[string]string) *disk {
	d := &disk{names: map[string]*inode{".": {folder: true}}, safe: map[string]*inode{}}
	for name, text := range files {
		d.names[name] = &inode{text: text, safe: text}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			d.names[dir] = &inode{folder: true}
		}
	}
	maps.Copy(d.safe, d.names)
	return d
}

// apply makes the change of an event. It reports whether anything is different now.
func (d *disk) apply(e event) bool {
	n := d.names[e.path]
	switch e.kind {
	case create:
		return n == nil && d.name(naming{e, &inode{}})
	case empty:
		if n == nil {
			return d.name(naming{event{kind: create, path: e.path}, &inode{}})
		}
		return n.text != "" && n.write(event{kind: cut})
	case grow, overwrite, cut:
		return n != nil && !n.folder && n.write(e)
	case folder:
		return d.name(naming{e, &inode{folder: true}})
	case rename, remove, link:
		return n != nil && d.name(naming{e, n})
	case sync:
		return n != nil && d.sync(e.path, n)
	}
	return false
}

func (n *inode) write(e event) bool {
	n.text = after(n.text, e)
	n.writes = append(n.writes[:len(n.writes):len(n.writes)], e)
	return true
}

// after is a text after one write.
func after(text string, e event) string {
	switch e.kind {
	case grow:
		return text + e.text
	case cut:
		if int64(len(text)) < e.off {
			return text + zeros(int(e.off)-len(text))
		}
		return text[:e.off]
	}
	if short := int(e.off) + len(e.text) - len(text); short > 0 {
		text += zeros(short)
	}
	return text[:e.off] + e.text + text[int(e.off)+len(e.text):]
}

func (d *disk) name(n naming) bool {
	renamed(d.names, n)
	d.naming = append(d.naming[:len(d.naming):len(d.naming)], n)
	return true
}

// renamed makes one change of names. A folder takes along what is below it.
func renamed(names map[string]*inode, n naming) {
	switch n.kind {
	case create, folder:
		names[n.path] = n.node
	case link:
		names[n.to] = n.node
	case remove:
		delete(names, n.path)
	case rename:
		for name, node := range names {
			if rest, ok := strings.CutPrefix(name, n.path+"/"); ok {
				delete(names, name)
				names[n.to+"/"+rest] = node
			}
		}
		delete(names, n.path)
		names[n.to] = n.node
	}
}

// sync makes a file's bytes safe, or a folder's names. A new file's own sync
// does not make its name safe: the standard does not promise it.
func (d *disk) sync(at string, n *inode) bool {
	if !n.folder {
		changed := len(n.writes) > 0
		n.safe, n.writes = n.text, nil
		return changed
	}
	var left []naming
	for _, c := range d.naming {
		if path.Dir(c.path) == at || c.to != "" && path.Dir(c.to) == at {
			renamed(d.safe, c)
			continue
		}
		left = append(left, c)
	}
	changed := len(left) < len(d.naming)
	d.naming = left
	return changed
}

// tree is the files of one state of a disk: path -> bytes. A folder's name ends in a
// slash. Files whose folder is missing are left out.
type tree map[string]string

func treeOf(names map[string]*inode, text func(*inode) string) tree {
	t := tree{}
	for name, n := range names {
		if name == "." || !stands(names, name) {
			continue
		}
		if n.folder {
			t[name+"/"] = ""
			continue
		}
		t[name] = text(n)
	}
	return t
}

func stands(names map[string]*inode, name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if n := names[dir]; n == nil || !n.folder {
			return false
		}
	}
	return true
}

// killed is what a kill of the program leaves: all that it wrote.
func (d *disk) killed() tree { return treeOf(d.names, func(n *inode) string { return n.text }) }

// dirty returns the files with writes that a power cut may take, by name.
func (d *disk) dirty() (out []*inode) {
	for _, names := range []map[string]*inode{d.names, d.safe} {
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if n := names[name]; len(n.writes) > 0 && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return out
}

// left are all states that a power cut may leave after these events.
func left(before map[string]string, all ...event) (*disk, []tree) {
	d := newDisk(before)
	for _, e := range all {
		d.apply(e)
	}
	var trees []tree
	c := cutter{random: rand.New(rand.NewPCG(1, 2)), cuts: 50, mixed: 20, holed: 1000}
	c.states(d, func(t tree) { trees = append(trees, t) })
	return d, trees
}

func has(trees []tree, want tree) bool {
	for _, t := range trees {
		if maps.Equal(t, want) {
			return true
		}
	}
	return false
}

func TestPowerCut(t *testing.T) {
	before := map[string]string{"p/a": "one\n"}
	with := func(more tree) tree {
		all := tree{"p/": "", "p/a": "one\n"}
		maps.Copy(all, more)
		return all
	}
	cases := []struct {
		name   string
		events []event
		may    []tree // among what is left
		never  []tree
	}{
		{"text that was not synced", []event{{kind: grow, path: "p/a", text: "two\n"}},
			[]tree{with(nil), with(tree{"p/a": "one\ntwo\n"}), with(tree{"p/a": "one\ntw"}), with(tree{"p/a": "one\n\x00\x00\x00\x00"}), with(tree{"p/a": "one\nt\x00\x00\x00"})}, nil},
		{"a page lost before another", []event{{kind: grow, path: "p/a", text: "two\n\n## three\n"}},
			[]tree{with(tree{"p/a": "one\n\x00\x00\x00\x00\n## three\n"}), with(tree{"p/a": "one\n\x00\x00\x00\x00\x00\x00# three\n"}), with(tree{"p/a": "one\n\x00\x00\x00\x00\x00\x00\x00\x00three\n"})},
			[]tree{with(tree{"p/a": "\x00\x00\x00\x00two\n\n## three\n"})}},
		{"text that was synced", []event{{kind: grow, path: "p/a", text: "two\n"}, {kind: sync, path: "p/a"}},
			[]tree{with(tree{"p/a": "one\ntwo\n"})}, []tree{with(nil)}},
		{"a word written over", []event{{kind: overwrite, path: "p/a", text: "TW", off: 1}},
			[]tree{with(nil), with(tree{"p/a": "oTW\n"}), with(tree{"p/a": "oTe\n"})}, nil},
		{"a rename that was not synced", []event{{kind: rename, path: "p/a", to: "p/b"}},
			[]tree{with(nil), {"p/": "", "p/b": "one\n"}}, nil},
		{"a rename that was synced", []event{{kind: rename, path: "p/a", to: "p/b"}, {kind: sync, path: "p"}},
			[]tree{{"p/": "", "p/b": "one\n"}}, []tree{with(nil)}},
		{"a new file whose text was synced, not its name", []event{{kind: create, path: "p/b"}, {kind: grow, path: "p/b", text: "x"}, {kind: sync, path: "p/b"}},
			[]tree{with(nil), with(tree{"p/b": "x"})}, []tree{with(tree{"p/b": ""})}},
		{"a name that was synced, not its text", []event{{kind: create, path: "p/b"}, {kind: grow, path: "p/b", text: "x"}, {kind: sync, path: "p"}},
			[]tree{with(tree{"p/b": ""}), with(tree{"p/b": "x"}), with(tree{"p/b": "\x00"})}, []tree{with(nil)}},
		{"a later change of names without an earlier one", []event{{kind: create, path: "p/b"}, {kind: remove, path: "p/a"}},
			[]tree{{"p/": ""}, with(tree{"p/b": ""}), {"p/": "", "p/b": ""}}, nil},
		{"a folder renamed with what is in it", []event{{kind: folder, path: "q"}, {kind: create, path: "q/a"}, {kind: sync, path: "q"}, {kind: rename, path: "q", to: "r"}, {kind: sync, path: "."}},
			[]tree{with(tree{"r/": "", "r/a": ""})}, []tree{with(nil)}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, trees := left(before, c.events...)
			for _, want := range c.may {
				if !has(trees, want) {
					t.Errorf("%q is not among %q", want, trees)
				}
			}
			for _, bad := range c.never {
				if has(trees, bad) {
					t.Errorf("%q is among %q", bad, trees)
				}
			}
		})
	}
}

func TestKillKeepsAll(t *testing.T) {
	d, _ := left(map[string]string{"p/a": "one\n"}, event{kind: grow, path: "p/a", text: "two\n"}, event{kind: rename, path: "p/a", to: "p/b"})
	if got := d.killed(); !maps.Equal(got, tree{"p/": "", "p/b": "one\ntwo\n"}) {
		t.Errorf("%q", got)
	}
}
