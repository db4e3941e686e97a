package tools

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

type readFileInput struct {
	Path        string `json:"path" jsonschema:"minLength=1"`
	From        int    `json:"from,omitempty" jsonschema:"minimum=1"`
	Lines       int    `json:"lines,omitempty" jsonschema:"minimum=1"`
	Description string `json:"description,omitempty"`
}

// The bounds of what one call reads: some 25,000 tokens, and files that are hashed
// in 0.1 s.
const (
	readLines = 2000 // unless the call says another number
	readBytes = 100 << 10
	readLimit = shownLimit
)

// fileText is the body of the result of read_file. Path and SHA256 are what a later
// write is held against (change.Named).
type fileText struct {
	Success bool   `json:"success"`
	Path    string `json:"path"`
	SHA256  string `json:"sha256"` // of the whole file
	Bytes   int64  `json:"bytes"`  // of the whole file
	Lines   int    `json:"lines"`  // of the whole file
	From    int    `json:"from"`
	To      int    `json:"to"` // the last line that is here, From-1 for none
	Content string `json:"content" mask:"text"`
	Note    string `json:"note,omitempty"`
}

// readFile reads lines of a file. Its hash and its lines are of the same bytes, as
// they stood there at one reading.
func readFile(ctx context.Context, env Env, in readFileInput) Result {
	p, err := findFile(env, in.Path)
	if err != nil {
		return readFailure(in.Path, err)
	}
	defer p.close()
	f, err := p.file()
	if err != nil {
		return readFailure(p.name, err)
	}
	defer f.Close()
	if fi, err := f.Stat(); err == nil && fi.Size() > readLimit {
		return failed(ExecError, "'%s' has %d bytes; read_file reads files of at most %d. Look at parts of it with run_command: head, tail, grep.", p.name, fi.Size(), readLimit)
	}
	h, w := sha256.New(), newWindow(in.From, in.Lines)
	size, err := io.Copy(io.MultiWriter(h, w), io.LimitReader(&untilDone{ctx, f}, readLimit))
	switch {
	case ctx.Err() != nil:
		return interrupted()
	case err != nil:
		return readFailure(p.name, err)
	case w.binary:
		return failed(ExecError, "'%s' is not text: a file of %d bytes with NUL characters. Look at it with run_command (file, od), or ask the human.", p.name, size)
	case w.from > 1 && w.from > w.lines:
		return failed(ExecError, "'%s' has %d lines, so there is none from line %d on. Read from an earlier one.", p.name, w.lines, w.from)
	}
	body := &fileText{Success: true, Path: p.name, SHA256: hex.EncodeToString(h.Sum(nil)), Bytes: size, Lines: w.lines, From: w.from}
	body.Content, body.To, body.Note = w.result(env.masker())
	return Result{Success: true, body: body}
}

// untilDone reads from r until ctx ends.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u *untilDone) Read(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(b)
}

// window keeps some lines of a text that is written to it piece by piece, and counts
// all of them.
type window struct {
	from, last int    // the first and last line that is wanted, from 1
	seen       int    // bytes until now
	lines      int    // that have begun
	open       bool   // the last of them has not ended
	kept       []byte // no more than readBytes and a bit, for a secret at the end
	binary     bool   // there is a NUL near the beginning, as git tells binary files
}

func newWindow(from, lines int) *window {
	from = max(from, 1)
	if lines == 0 {
		lines = readLines
	}
	return &window{from: from, last: from - 1 + min(lines, readBytes)}
}

const (
	binaryHead = 8000    // bytes in which a binary file has a NUL
	secretRoom = 4 << 10 // bytes kept beyond readBytes, so that a secret is masked whole before it is cut
)

func (w *window) Write(b []byte) (int, error) {
	if w.seen < binaryHead {
		w.binary = w.binary || bytes.IndexByte(b[:min(len(b), binaryHead-w.seen)], 0) >= 0
	}
	w.seen += len(b)
	for line := range bytes.Lines(b) {
		if !w.open {
			w.lines++
		}
		w.open = !bytes.HasSuffix(line, []byte("\n"))
		if w.lines >= w.from && w.lines <= w.last {
			w.kept = append(w.kept, line[:min(len(line), readBytes+secretRoom-len(w.kept))]...)
		}
	}
	return len(b), nil
}

// result returns the lines as valid text without secrets, readBytes at most, the
// last line of which something is there, and what the model should know of it.
func (w *window) result(clean func(string) string) (text string, to int, note string) {
	kept, cut := string(w.kept), false
	if len(kept) > readBytes {
		end := strings.LastIndexByte(kept[:readBytes], '\n') + 1
		if cut = end == 0; cut { // one line fills all
			kept = clean(kept)
			end = len(strings.TrimRightFunc(kept[:min(len(kept), readBytes)], func(r rune) bool { return r == utf8.RuneError }))
		}
		kept = kept[:end]
	}
	var notes []string
	if !utf8.ValidString(kept) {
		kept = strings.ToValidUTF8(kept, "\uFFFD")
		notes = append(notes, "The file is not UTF-8 throughout: U+FFFD stands for each run of other bytes.")
	}
	to = w.from - 1 + strings.Count(kept, "\n")
	if kept != "" && !strings.HasSuffix(kept, "\n") {
		to++
	}
	if cut {
		notes = append(notes, fmt.Sprintf("Line %d is longer than %d bytes; only its beginning is here.", to, readBytes))
	}
	if to < w.lines {
		notes = append(notes, fmt.Sprintf("These are lines %d to %d of %d. Read on with from: %d.", w.from, to, w.lines, to+1))
	}
	return kept, to, strings.Join(notes, " ")
}
