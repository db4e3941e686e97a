package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Piped is a program that goes on running for a project, behind the same walls as its
// commands, and is talked with at its standard input and output. It listens at no port,
// and no command meets it.
type Piped struct {
	*pipes
	server *Server
}

// pipes are our ends of a program's standard input and output.
type pipes struct {
	env     []string
	in, out *os.File
}

// Pipe starts a program for the project of s, with these variables beside those that
// every command has, and returns once it was started. At a level without walls around
// the network it is started all the same: it need not listen. StopServers ends it too.
// The caller must call Close.
func (r *Runner) Pipe(s Spec, env []string) (*Piped, error) {
	ctx, cancel := context.WithCancel(context.Background())
	srv := &Server{
		Project: s.project(), kind: atPipes, pipes: &pipes{env: env},
		ctx: ctx, cancel: cancel, ended: make(chan struct{}), output: newCapture(min(r.config.Output, maxLog)),
	}
	if err := r.servers.add(srv); err != nil {
		return nil, err
	}
	if err := r.start(s, srv); err != nil {
		srv.pipes.Close()
		return nil, err
	}
	return &Piped{srv.pipes, srv}, nil
}

// connect gives cmd the other ends, which end with those of rs.
func (p *pipes) connect(cmd *exec.Cmd, rs *readers) error {
	in, ours, err := os.Pipe()
	if err != nil {
		return err
	}
	p.in, rs.theirs = ours, append(rs.theirs, in)
	ours, out, err := os.Pipe()
	if err != nil {
		return err
	}
	p.out, rs.theirs = ours, append(rs.theirs, out)
	cmd.Stdin, cmd.Stdout = in, out
	return nil
}

// Read reads what the program writes to its standard output.
func (p *pipes) Read(b []byte) (int, error) { return p.out.Read(b) }

// writeLimit is how long a program may leave what it is sent unread.
const writeLimit = 10 * time.Second

// Write sends to the program's standard input. It fails where the program reads nothing
// for writeLimit.
func (p *pipes) Write(b []byte) (int, error) {
	p.in.SetWriteDeadline(time.Now().Add(writeLimit))
	return p.in.Write(b)
}

// CloseWrite ends the program's standard input.
func (p *pipes) CloseWrite() error { return p.in.Close() }

// Close closes our ends. The program is not ended by that.
func (p *pipes) Close() error { return errors.Join(p.in.Close(), p.out.Close()) }

// Ended is closed when nothing of the program runs any more.
func (p *Piped) Ended() <-chan struct{} { return p.server.Ended() }

// Stop ends the program and all that it started, and waits for that.
func (p *Piped) Stop() { p.server.Stop() }

// lastSize is how much of what a program wrote to its standard error is told of it.
const lastSize = 2000

// Last is the end of what the program wrote to its standard error, and how it ended,
// where it has.
func (p *Piped) Last() string {
	text := strings.ToValidUTF8(string(p.server.Output().Text), "\uFFFD")
	if cut := len(text) - lastSize; cut > 0 {
		text = strings.ToValidUTF8(text[cut:], "")
		// From the next word on: the rest of a key could not be masked.
		if i := strings.IndexAny(text, " \t\r\n"); i >= 0 {
			text = "…" + text[i:]
		} else {
			text = "…"
		}
	}
	text = strings.TrimSpace(text)
	if p.server.Running() {
		return text
	}
	how := fmt.Sprintf("exit code %d", p.server.final.ExitCode)
	switch {
	case p.server.final.Exceeded != "":
		how = "it used too much: " + p.server.final.Exceeded
	case p.server.final.Stopped:
		return text
	}
	return strings.TrimSpace(how + "\n" + text)
}
