package tools

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

type searchFilesInput struct {
	Query       string `json:"query" jsonschema:"minLength=1"`
	Path        string `json:"path,omitempty"`
	Regexp      bool   `json:"regexp,omitempty"`
	Description string `json:"description,omitempty"`
}

// The bounds of one search.
const (
	matchMost   = 200              // matches in one result
	matchText   = 300              // bytes shown of a line
	queryMost   = 1000             // bytes of a query
	searchFile  = 8 << 20          // bytes of the largest file that is searched
	searchBytes = 256 << 20        // bytes read for one search
	searchTime  = 10 * time.Second // a regular expression may take its time on every line
)

// found is the body of the result of search_files.
type found struct {
	Success bool     `json:"success"`
	Matches []string `json:"matches" mask:"text"` // path:line:text
	Omitted int      `json:"omitted,omitempty"`
	Files   int      `json:"filesSearched"`
	Note    string   `json:"note,omitempty"`
}

func searchFiles(ctx context.Context, env Env, in searchFilesInput) Result {
	if len(in.Query) > queryMost {
		return notRun(Schema, "the query has %d bytes; at most %d can be searched for. Search for a part of it.", len(in.Query), queryMost)
	}
	if !in.Regexp && strings.ContainsAny(in.Query, "\r\n") {
		return notRun(Schema, "the query holds a line end, and lines are searched one by one. Search for one of its lines.")
	}
	m := matcher{literal: in.Query}
	var err error
	if in.Regexp {
		m.pattern, err = regexp.Compile(in.Query)
	}
	if err != nil {
		return notRun(Schema, "the query is no regular expression that can be used here (RE2, without backreferences and lookaround): %s. To search for these very letters, leave regexp out.", clip(strings.ToValidUTF8(err.Error(), "\uFFFD"), 300))
	}
	p, err := findAny(env, in.Path)
	if err != nil {
		return readFailure(in.Path, err)
	}
	defer p.close()
	timed, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	s := &search{ctx: timed, matcher: m, clean: env.masker(), left: searchBytes, found: found{Success: true, Matches: []string{}}}
	if err := s.place(env, p); err != nil {
		return readFailure(in.Path, err)
	}
	if ctx.Err() != nil {
		return interrupted()
	}
	s.Note = s.note()
	return Result{Success: true, body: &s.found}
}

// note returns what a model should know of a search that left something out.
func (s *search) note() string {
	var notes []string
	if s.binary > 0 {
		notes = append(notes, fmt.Sprintf("%d binary files were not searched.", s.binary))
	}
	if s.large > 0 {
		notes = append(notes, fmt.Sprintf("%d files of more than %d bytes were not searched; use grep by run_command for them.", s.large, searchFile))
	}
	if s.unread > 0 {
		notes = append(notes, fmt.Sprintf("%d files could not be read.", s.unread))
	}
	if s.longLine {
		notes = append(notes, fmt.Sprintf("Of very long lines only the first %d bytes were searched.", lineMost))
	}
	if s.partial {
		notes = append(notes, "The search ended before all was searched: there is too much, or it took too long. Name a folder in path.")
	}
	return strings.Join(notes, " ")
}

// excerpt returns the part of a line that shows what matched, as valid text.
func excerpt(line string, at int) string {
	from, to := 0, len(line)
	if to > matchText {
		if from = max(0, min(at-matchText/3, len(line)-matchText)); from > 0 {
			for from < at && !utf8.RuneStart(line[from]) {
				from++
			}
		}
		for to = from + matchText; to < len(line) && !utf8.RuneStart(line[to]); to++ {
		}
	}
	text := line[from:to]
	if from > 0 {
		text = "…" + text
	}
	if to < len(line) {
		text += "…"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
