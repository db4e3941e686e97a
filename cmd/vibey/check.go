package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vibey/dialog"
	"vibey/server/project"
	"vibey/server/view"
	"vibey/tools/disk"
)

type checkCmd struct {
	State  string `help:"The state dir whose key judges the Macs of approvals. Without it they are not judged." env:"VIBEY_STATE" placeholder:"DIR"`
	Claims bool   `help:"A file that is not as the last result naming it left it is a broken rule, and so is a line of a doc that does not hold; without it both are notes."`
	Path   string `arg:"" help:"A folder of projects, a project, or one file."`
}

func (c *checkCmd) Help() string {
	return "Prints FILE:LINE: rule: text for every broken rule, and FILE:LINE: note: text where a file was changed since an agent's result told its hash, or a line of doc-main.md does not hold. Exit code: 0 clean or notes alone, 1 with findings, 2 it could not run."
}

// Run checks and prints. It writes nothing.
func (c *checkCmd) Run(to streams) error {
	k := &checker{holdClaims: c.Claims}
	if c.State != "" {
		s, err := lookState(c.State, "", tellTo(to.err))
		if err != nil {
			return err
		}
		if k.key, err = s.keyIfMade(to.err); err != nil {
			return unable{err}
		}
	}
	if err := k.path(c.Path); err != nil {
		return unable{err}
	}
	for _, f := range k.sorted() {
		fmt.Fprintf(to.out, "%s:%d: %s: %s\n", drawnLine(f.file), f.line, f.rule, drawn(strings.ReplaceAll(f.text, "\n", " ")))
	}
	if slices.ContainsFunc(k.findings, func(f finding) bool { return f.rule != noteRule }) {
		return exit(1)
	}
	return nil
}

// noteRule is the rule of a finding that breaks none.
const noteRule = "note"

// finding is one broken rule, or a note.
type finding struct {
	file string
	line int
	rule string
	text string
}

// checker collects findings.
type checker struct {
	key        []byte // nil: Macs are not judged
	holdClaims bool   // a claim that does not hold is a broken rule
	findings   []finding
}

func (k *checker) found(file string, line int, rule, format string, args ...any) {
	k.findings = append(k.findings, finding{file, max(line, 1), rule, fmt.Sprintf(format, args...)})
}

func (k *checker) sorted() []finding {
	slices.SortStableFunc(k.findings, func(a, b finding) int {
		return cmp.Or(strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
	})
	return k.findings
}

// path checks one file, a project, or all projects below a folder.
func (k *checker) path(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return k.file(path)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	if isProject(path, entries) {
		return k.project(path, "")
	}
	seen := map[string]string{}
	for _, e := range entries {
		name := e.Name()
		at := filepath.Join(path, name)
		if !e.IsDir() || name[0] == '.' {
			continue
		}
		if !project.ValidProject(name) {
			k.found(at, 1, "name", "no project can have this name: letters, digits, _, - and dots, 100 at most, no dot in front and no two in a row")
			continue
		}
		if other, twice := seen[strings.ToLower(name)]; twice {
			k.found(at, 1, "name", "only the case of letters tells this project from %s", other)
		}
		seen[strings.ToLower(name)] = name
		if err := k.project(at, ""); err != nil {
			return err
		}
	}
	return nil
}

// isProject reports whether the folder at path, with those entries, is a project, not a
// folder of projects. One of these may be called deed, or begin with "dialog-".
func isProject(path string, entries []fs.DirEntry) bool {
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		switch name := e.Name(); {
		case name == "deed" && e.IsDir():
			main, err := os.Lstat(filepath.Join(path, name, project.MainDoc))
			return err != nil || !main.Mode().IsRegular()
		case e.IsDir():
			return false
		default:
			return name == project.MainDoc || name == "deed" || strings.HasPrefix(name, "dialog-") && filepath.Ext(name) == ".md"
		}
	})
}

// file checks one file. The other files of its project are read too, since a later
// result in one of them may name the same file.
func (k *checker) file(path string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if filepath.Ext(abs) != ".md" {
		return fmt.Errorf("%s is neither a folder nor a markdown file", path)
	}
	return k.project(filepath.Dir(abs), path)
}

// project checks all files of a project, or only the one that is named.
func (k *checker) project(dir, only string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	p := &checkedProject{checker: k, dir: dir, name: listedName(abs), ids: map[string]string{}, spelled: map[string]string{}, restored: project.RestoredAt(dir)}
	one := ""
	if only != "" {
		one = listedName(only)
	}
	for _, e := range entries {
		at := filepath.Join(dir, e.Name())
		told := only == "" || one == e.Name()
		if told && only != "" {
			at = only
		}
		if err := p.entry(e, at, told); err != nil {
			return err
		}
	}
	p.claims()
	if only == "" {
		return p.files()
	}
	return nil
}

// listedName returns the last name of a path as its folder lists it, which is what Macs are
// bound to: a disk may open it by another spelling.
func listedName(path string) string {
	name := filepath.Base(path)
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return name
	}
	defer dir.Close()
	if listed, err := disk.Spelled(dir, name); err == nil {
		return listed
	}
	return name
}

// checkedProject is a project while it is checked.
type checkedProject struct {
	*checker
	dir, name string
	restored  time.Time         // the zero time for one that was made here
	ids       map[string]string // dialog id -> the file that has it
	spelled   map[string]string // name of a file in small letters -> the name
	claimed   []claim
}

// entry checks one entry of the project's folder. With told false it only collects the
// claims.
func (p *checkedProject) entry(e fs.DirEntry, at string, told bool) error {
	name := e.Name()
	k := p.checker
	if !told {
		k = &checker{key: k.key} // its findings are dropped
	}
	if why := project.NoPage(name); why != "" {
		k.found(at, 1, noteRule, "%s", why)
		return nil
	}
	if filepath.Ext(name) != ".md" || name[0] == '.' {
		return nil
	}
	if !e.Type().IsRegular() {
		k.found(at, 1, "name", "this is no plain file, and is not read")
		return nil
	}
	if other, twice := p.spelled[strings.ToLower(name)]; twice {
		k.found(at, 1, "name", "only the case of letters tells this file from %s: a disk that ignores it has room for one of them; give one another name", other)
	}
	p.spelled[strings.ToLower(name)] = name
	b, err := os.ReadFile(at)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // renamed since the folder was read
	}
	if err != nil {
		return err
	}
	id, st, ok := dialog.ParseName(name)
	switch {
	case ok:
		if other, twice := p.ids[id]; twice {
			k.found(at, 1, "twice", "%s is of the same dialog", other)
		}
		p.ids[id] = name
		c := checkedDialog{checker: k, file: at, project: p.name, id: id, status: st, text: string(b), restored: p.restored}
		p.claimed = append(p.claimed, c.check(told)...)
	case strings.HasPrefix(name, "dialog-"):
		k.found(at, 1, "name", "a dialog is called dialog-<YYYYMMDD-HHmmss>-<slug>-<active|waiting|done>.md; this one is read as a doc")
	}
	for _, p := range view.Problems(name, string(b), mcpNames(string(b))) { // a save with them succeeds, and the other lines hold
		if k.holdClaims {
			k.found(at, p.Line, p.Rule, "%s", p.Text)
			continue
		}
		k.found(at, p.Line, noteRule, "%s: %s", p.Rule, p.Text)
	}
	if n, first := notUTF8(string(b)); n > 0 {
		rule, what := "utf8", ""
		if !ok {
			rule, what = noteRule, "utf8: " // a doc is not read; it can be taken in
		}
		k.found(at, 1+bytes.Count(b[:first], []byte("\n")), rule, "%s%s not UTF-8; the first, 0x%02X, stands at offset %d",
			what, counted(int64(n), "byte is", "bytes are"), b[first], first)
	}
	return nil
}

// mcpNames are the MCP servers that a doc names. A human may name them to the server by a
// flag, which is not known here.
func mcpNames(doc string) (names []string) {
	for _, word := range strings.Fields(doc) {
		if name, ok := strings.CutPrefix(word, "mcp:"); ok && plainWord(name, serverNameMost) {
			names = append(names, name)
		}
	}
	return names
}

// notUTF8 returns how many bytes of a text are not UTF-8, and the offset of the first.
func notUTF8(text string) (n, first int) {
	for at, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[at:], "\uFFFD") {
			if n++; n == 1 {
				first = at
			}
		}
	}
	return n, first
}
