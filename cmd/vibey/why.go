package main

import (
	"fmt"
	"io"
	"strconv"

	"vibey/dialog/jsontext"
	"vibey/dialog/why"
	"vibey/server/view"
)

type whyCmd struct {
	dirFlag
	stateFlag
	Project string `short:"p" help:"The project, where FILE does not name it." placeholder:"PROJECT"`
	JSON    bool   `help:"Print one object for a line, and for a file a list of them."`
	File    string `arg:"" help:"A doc (main, doc-main.md), a file of the deed (deed/index.html), either with PROJECT/ in front, or a path on the disk; with :LINE behind it for that line alone."`
}

func (c *whyCmd) Help() string {
	return "A line is a human's where a human saved it, and an agent's where a call brought it in that a human, an allow or a rule let run; then dialog, message and call are named. It is unknown where another program wrote, where what stood there is not kept any more, and where several answers are as good. Only the files are read, and none is changed. Exit code: 0 it was told, 1 there is no such file or line, 2 it could not run."
}

// Run tells who brought in the lines of a file.
func (c *whyCmd) Run(to streams) error {
	s, err := c.look(to.err)
	if err != nil {
		return err
	}
	key, err := s.keyIfMade(to.err)
	if err != nil {
		return unable{err}
	}
	at, err := c.find(c.File)
	if err != nil {
		return err
	}
	defer at.store.Close()
	h, _, err := view.Why(at.project, at.path, key)
	if err != nil {
		return fmt.Errorf("%s of %s can't be read: %w", drawnLine(at.path), at.project.Name(), err)
	}
	w := &whyWriter{to: to.out, json: c.JSON, file: at.path, h: h}
	if at.line == "" {
		return w.all()
	}
	n, err := strconv.Atoi(at.line)
	if err != nil || n < 1 || n > len(h.Lines) {
		return fmt.Errorf("%s has %s, and no line %s", drawnLine(at.path), counted(int64(len(h.Lines)), "line", "lines"), at.line)
	}
	return w.one(n)
}

// whyAnswer is what is told of a line, or of neighbouring lines with one answer.
type whyAnswer struct {
	File    string       `json:"file"`
	Line    int          `json:"line,omitempty"`
	From    int          `json:"from,omitempty"`
	To      int          `json:"to,omitempty"`
	Who     string       `json:"who"`
	At      string       `json:"at"`
	Dialog  string       `json:"dialog"`
	Message string       `json:"message"`
	Call    string       `json:"call"`
	Allowed *why.Allowed `json:"allowed"`
}

// whyWriter writes what a history says of a file.
type whyWriter struct {
	to   io.Writer
	json bool
	file string
	h    why.History
}

func (w *whyWriter) answer(line int) (whyAnswer, *why.Version) {
	a := whyAnswer{File: w.file, Who: why.Nothing}
	k := w.h.Lines[line-1]
	if k == why.Unknown {
		return a, nil
	}
	v := &w.h.Versions[k]
	a.Who, a.At, a.Dialog, a.Message, a.Call = v.Who(), v.At, v.Dialog, v.Message, v.Call
	if v.Allowed.By != "" {
		a.Allowed = &v.Allowed
	}
	return a, v
}

func (w *whyWriter) one(n int) error {
	a, v := w.answer(n)
	if a.Line = n; w.json {
		return w.print(a)
	}
	w.tell(strconv.Itoa(n), v)
	return nil
}

// all tells of each run of lines that have one answer.
func (w *whyWriter) all() error {
	list := []whyAnswer{}
	for from := 1; from <= len(w.h.Lines); {
		to := from
		for to < len(w.h.Lines) && w.h.Lines[to] == w.h.Lines[from-1] {
			to++
		}
		a, v := w.answer(from)
		a.From, a.To = from, to
		if list = append(list, a); !w.json {
			lines := strconv.Itoa(from)
			if to > from {
				lines += "-" + strconv.Itoa(to)
			}
			w.tell(lines, v)
		}
		from = to + 1
	}
	switch {
	case w.json:
		return w.print(list)
	case len(list) == 0:
		fmt.Fprintf(w.to, "%s is empty.\n", drawnLine(w.file))
	}
	return nil
}

func (w *whyWriter) print(v any) error {
	b, err := jsontext.Marshal(v)
	if err == nil {
		_, err = fmt.Fprintf(w.to, "%s\n", b)
	}
	return err
}

// tell says in words who made a version; nil is none that is known.
func (w *whyWriter) tell(lines string, v *why.Version) {
	fmt.Fprintf(w.to, "%s:%s: ", drawnLine(w.file), lines)
	switch {
	case v == nil || v.Who() == why.Nothing:
		fmt.Fprintln(w.to, "unknown")
	case v.Who() == why.Human:
		fmt.Fprintf(w.to, "a human saved it, %s\n", v.At)
	default:
		fmt.Fprintf(w.to, "an agent wrote it with %s, %s\n  dialog %s, message %s, call %s\n", drawnLine(v.Tool), v.At, drawnLine(v.Dialog), drawnLine(v.Message), drawnLine(v.Call))
		fmt.Fprintf(w.to, "  %s (%s)\n", allowedWords(v.Allowed), drawnLine(v.Allowed.ID))
	}
}

// allowedWords says what let a call run.
func allowedWords(a why.Allowed) string {
	switch a.By {
	case why.ByAllow:
		return "its dialog may use " + drawnLine(a.Name) + " unasked: a human allowed that there"
	case why.ByRule:
		return "dialogs of this project may use " + drawnLine(a.Name) + " unasked: a human confirmed that rule"
	}
	return "a human allowed this call"
}
