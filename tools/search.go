package tools

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"regexp"
	"strings"

	"vibey/tools/disk"
	"vibey/tools/disk/tree"
)

// lineMost is how much of one line a regular expression is held against: some take
// seconds for a megabyte, and can't be stopped within a line.
const lineMost = 64 << 10

// matcher finds a query in a text.
type matcher struct {
	literal string
	pattern *regexp.Regexp // nil for a literal
}

// in returns where the line has the query, or -1.
func (m *matcher) in(line string) int {
	if m.pattern == nil {
		return strings.Index(line, m.literal)
	}
	if at := m.pattern.FindStringIndex(line[:min(len(line), lineMost)]); at != nil {
		return at[0]
	}
	return -1
}

// search is one search through files.
type search struct {
	ctx context.Context
	matcher
	clean func(string) string // masks secrets
	left  int64               // bytes that may still be read
	found

	binary, large, unread int // files that were not searched
	longLine, partial     bool
}

// place searches a file, a folder, or the project: its docs and its deed.
func (s *search) place(env Env, p *place) error {
	switch {
	case p.base != "":
		f, err := p.file()
		if err != nil {
			return err
		}
		s.file(p.name, f)
		return nil
	case p.name != ".":
		s.below(p)
		return nil
	}
	docs, _, err := topFiles(env.Project)
	if err != nil {
		return err
	}
	for _, d := range docs {
		if f, err := disk.Open(env.Project, d); err == nil {
			s.file(d, f)
		} else {
			s.unread++
		}
	}
	if _, err := env.Project.Lstat("deed"); err != nil {
		return nil
	}
	deed, err := findAny(env, "deed")
	if err != nil {
		return err
	}
	defer deed.close()
	s.below(deed)
	return nil
}

// below searches the files below a folder.
func (s *search) below(p *place) {
	top, err := tree.Open(p.dir)
	if err != nil {
		s.unread++
		return
	}
	defer top.Close()
	whole := walkFrom(p.dir, math.MaxInt, walkLimit, func(e entry) bool {
		if e.kind != tree.FileKind {
			return true
		}
		f, err := top.Read(e.path)
		if err != nil {
			s.unread++
			return true
		}
		s.file(path.Join(p.name, e.path), f)
		return !s.partial
	})
	s.partial = s.partial || !whole
}

// file searches an open file, and closes it.
func (s *search) file(name string, f *os.File) {
	defer f.Close()
	fi, err := f.Stat()
	switch {
	case err != nil || !fi.Mode().IsRegular():
		s.unread++
		return
	case fi.Size() > searchFile:
		s.large++
		return
	case s.ctx.Err() != nil || fi.Size() > s.left:
		s.partial = true
		return
	}
	s.left -= fi.Size()
	b, err := io.ReadAll(io.LimitReader(f, searchFile))
	if err != nil {
		s.unread++
		return
	}
	text := string(b)
	if strings.Contains(text[:min(len(text), binaryHead)], "\x00") {
		s.binary++
		return
	}
	s.Files++
	if !s.has(text) {
		return
	}
	// What is masked must not be told by whether it matches: the lines are those of
	// the masked text.
	text = s.clean(text)
	s.lines(text, func(line string, n, at int) bool {
		if len(s.Matches) < matchMost {
			s.Matches = append(s.Matches, fmt.Sprintf("%s:%d:%s", strings.ToValidUTF8(name, "\uFFFD"), n, excerpt(line, at)))
		} else {
			s.Omitted++
		}
		return true
	})
}

// has reports whether any line of text matches.
func (s *search) has(text string) (any bool) {
	if s.pattern == nil {
		return strings.Contains(text, s.literal)
	}
	s.lines(text, func(string, int, int) bool { any = true; return false })
	return any
}

// lines calls visit with each line of text that matches, its number, and where it
// matches, until visit returns false or the time is over.
func (s *search) lines(text string, visit func(line string, n, at int) bool) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		s.longLine = s.longLine || s.pattern != nil && len(line) > lineMost
		if s.ctx.Err() != nil {
			s.partial = true
			return
		}
		if at := s.in(line); at >= 0 && !visit(line, n, at) {
			return
		}
	}
}
