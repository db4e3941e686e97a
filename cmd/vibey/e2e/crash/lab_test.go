package crash

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"vibey/dialog"
)

// lab makes the states of one trace and holds them, one after another.
type lab struct {
	holder *holder
	most   int    // take no more states than that; 0 is no bound
	from   int    // the event before which the first states are taken
	first  string // stop at the first broken promise that says this

	moments, kills, cuts int
	holes, old           int      // states with lost pages in a dialog; of these, the ones that the old reader reads wrong
	oldSaid              string   // the first of its faults
	holed                []*state // some of them
	seen                 map[[sha256.Size]byte]bool
	trees                map[[sha256.Size]byte]bool
	broken               []string
	files                map[int]*state // of the batch that waits for `vibey check`
	truth                map[string]*dialog.Dialog
	over                 bool
}

// figures are what a run ended with.
func (l *lab) figures() string {
	return fmt.Sprintf("%d states of %d moments: %d after a kill, %d after a power cut (%d with pages of a dialog lost before others), %d different disks; %d violations",
		l.kills+l.cuts, l.moments, l.kills, l.cuts, l.holes, len(l.trees), len(l.broken))
}

// run walks through the events of a trace, from the files that stood there
// before. A disk is looked at just before it changes, when the most has been
// told about it.
func (l *lab) run(all []event, before map[string]string, c cutter) error {
	l.seen, l.trees = map[[sha256.Size]byte]bool{}, map[[sha256.Size]byte]bool{}
	l.files, l.truth = map[int]*state{}, ends(all, before)
	if err := os.MkdirAll(filepath.Join(l.holder.dir, "checked"), 0o755); err != nil {
		return err
	}
	d, t := newDisk(before), newTold()
	for i, e := range all {
		switch e.kind {
		case said:
			t.hear(e)
			continue
		case ran:
			t.ran[e.text] = true
			t.heard++
			continue
		}
		if i >= l.from {
			l.moment(d, t.now(), c)
		}
		if l.over {
			break
		}
		if d.apply(e) {
			t.happened(e, d)
		}
	}
	if !l.over {
		l.moment(d, t.now(), c)
	}
	return l.check()
}

// moment holds all states that a crash at this moment may leave.
func (l *lab) moment(d *disk, t *told, c cutter) {
	l.moments++
	safe := map[string]int{}
	for name, n := range d.names {
		if id, _, ok := dialog.ParseName(path.Base(name)); ok {
			safe[id] = len(n.safe)
		}
	}
	l.take(&state{tree: d.killed(), told: t, truth: l.truth}, &l.kills)
	c.states(d, func(tr tree) {
		l.take(&state{tree: tr, told: t, cut: true, safe: safe, truth: l.truth}, &l.cuts)
	})
}

// ends are the project's dialogs as they are when all has happened.
func ends(all []event, before map[string]string) map[string]*dialog.Dialog {
	d := newDisk(before)
	for _, e := range all {
		d.apply(e)
	}
	out := map[string]*dialog.Dialog{}
	for name, text := range d.killed() {
		if id, _, ok := dialog.ParseName(path.Base(name)); ok && strings.HasPrefix(name, projectName+"/") {
			out[id] = dialog.Parse(text)
		}
	}
	return out
}

// take holds one state, if it is a new one.
func (l *lab) take(s *state, count *int) {
	if l.over {
		return
	}
	tree, whole := s.digests()
	if l.seen[whole] {
		return
	}
	l.seen[whole], l.trees[tree] = true, true
	*count++
	l.hole(s)
	for _, b := range l.holder.hold(s) {
		l.violation(s, b)
	}
	l.files[l.holder.n] = s
	if len(l.files) >= 500 {
		if err := l.check(); err != nil {
			l.violation(s, err.Error())
		}
	}
	if l.kills+l.cuts == l.most || l.first != "" && l.said(l.first) != "" {
		l.over = true
	}
}

// hole notes a state in which pages of a dialog are lost.
func (l *lab) hole(s *state) {
	if !s.holed() {
		return
	}
	l.holes++
	if l.holes%holedShare == 0 {
		l.holed = append(l.holed, s)
	}
	if broken := s.readOld(); len(broken) > 0 {
		if l.old++; l.old == 1 {
			l.oldSaid = broken[0]
		}
	}
}

// holedShare is of how many states with lost pages one is kept for a restart.
const holedShare = 10

// said is the first broken promise that says so, or "".
func (l *lab) said(text string) string {
	if i := slices.IndexFunc(l.broken, func(b string) bool { return strings.Contains(b, text) }); i >= 0 {
		return l.broken[i]
	}
	return ""
}

// digests returns a hash of the disk, and one of the state.
func (s *state) digests() (tree, whole [sha256.Size]byte) {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(s.tree)) {
		fmt.Fprintf(h, "%q %d\n", name, len(s.tree[name]))
		io.WriteString(h, s.tree[name])
	}
	h.Sum(tree[:0])
	heard := s.told.heard
	if s.cut {
		heard = len(s.told.sections) + len(s.told.ran) + len(s.told.files) // pieces of text may go
	}
	fmt.Fprint(h, s.cut, heard, len(s.told.done))
	h.Sum(whole[:0])
	return tree, whole
}

func (l *lab) violation(s *state, text string) {
	how := "kill"
	if s.cut {
		how = "power cut"
	}
	l.broken = append(l.broken, fmt.Sprintf("moment %d, %s: %s", l.moments, how, text))
}

// check runs `vibey check --claims` over the repaired projects and removes them.
func (l *lab) check() error {
	dir := filepath.Join(l.holder.dir, "checked")
	out, err := exec.Command(*vibey, "check", "--claims", dir).Output()
	var code *exec.ExitError
	if err != nil && (!errors.As(err, &code) || code.ExitCode() != 1) {
		return fmt.Errorf("vibey check: %w", err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		rest := strings.TrimPrefix(lines.Text(), dir+"/s")
		f := found.FindStringSubmatch(rest)
		if f == nil {
			return fmt.Errorf("vibey check said %q", lines.Text())
		}
		n, _ := strconv.Atoi(f[1])
		line, _ := strconv.Atoi(f[3])
		if s := l.files[n]; s != nil && !expected(s, f[2], line, f[4], f[5]) {
			l.violation(s, "check: "+rest)
		}
	}
	clear(l.files)
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.MkdirAll(dir, 0o755)
}

// found is one line of `vibey check`, without the folder: project, file, line,
// rule, text.
var found = regexp.MustCompile(`^(\d+)/([^:]+):(\d+): ([^:]+): (.*)$`)

// expected are the findings that a crash may leave: a tail that is torn and
// marked; a file that a tool had changed before its result was written; after a
// power cut, a header's word behind the name, which wins, and what a command
// wrote and did not sync.
func expected(s *state, file string, line int, rule, text string) bool {
	switch rule {
	case "torn":
		return true
	case "status":
		return s.cut
	case "claim":
		name, _, _ := strings.Cut(text, " ")
		return s.cut && name == "deed/log" || s.renewed(name)
	}
	id, _, ok := dialog.ParseName(file)
	left := rule == "outside" || rule == "mac" && strings.HasPrefix(text, "what is left of an Authorization")
	return ok && (s.damaged(id, line) || left && s.besideDamage(id, line))
}
