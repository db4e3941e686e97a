package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// lines reads messages of stdin, one a line, and hands on those that are some. The SDK
// ends the connection at any other, and with it the turns that run: here it is answered
// by an error, and the next line counts.
type lines struct {
	in  *bufio.Reader
	out io.Writer

	left []byte // of the line that is handed on
}

func newLines(in io.Reader, out io.Writer) *lines {
	return &lines{in: bufio.NewReaderSize(in, 64<<10), out: out}
}

// Read implements io.Reader.
func (l *lines) Read(b []byte) (int, error) {
	for len(l.left) == 0 {
		line, err := l.line()
		if err != nil {
			return 0, err
		}
		if code, why := wrong(line); why != "" {
			l.refuse(code, why)
			continue
		}
		l.left = line
	}
	n := copy(b, l.left)
	l.left = l.left[n:]
	return n, nil
}

// line reads a line of at most lineMax bytes, a blank one too. A longer one is passed over.
func (l *lines) line() (line []byte, err error) {
	long := false
	for {
		piece, err := l.in.ReadSlice('\n')
		if long = long || len(line)+len(piece) > lineMax; long {
			line = line[:0]
		} else {
			line = append(line, piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (len(line) == 0 || !errors.Is(err, io.EOF)):
			return nil, err
		case long:
			l.refuse(jsonrpc.CodeInvalidRequest, "the message is longer than "+strconv.Itoa(lineMax>>20)+" MiB")
			long = false
			continue
		}
		return line, nil
	}
}

// wrong says why a line is no message, and by which code; "" for one that is, and for a
// blank line.
func wrong(line []byte) (code int, why string) {
	text := bytes.TrimSpace(line)
	switch {
	case len(text) == 0:
		return 0, ""
	case !utf8.Valid(text):
		return jsonrpc.CodeParseError, "the line is not UTF-8"
	case !json.Valid(text):
		return jsonrpc.CodeParseError, "the line is no JSON"
	case text[0] != '{':
		return jsonrpc.CodeInvalidRequest, "the line is no JSON object; several messages in one line are not taken"
	}
	var m struct{ ID json.RawMessage }
	json.Unmarshal(text, &m)
	if n, err := strconv.ParseFloat(string(m.ID), 64); err == nil && (n != math.Trunc(n) || math.Abs(n) > 1<<53) {
		return jsonrpc.CodeInvalidRequest, "the id is no whole number below 2^53, and no text"
	}
	if _, err := jsonrpc.DecodeMessage(text); err != nil {
		return jsonrpc.CodeInvalidRequest, "the line is no message of JSON-RPC 2.0"
	}
	return 0, ""
}

// refuse answers what was no message, and so has no id.
func (l *lines) refuse(code int, why string) {
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": why + ". It was passed over."}})
	if err == nil {
		l.out.Write(append(b, '\n')) // a client that reads no more ends by the end of its input
	}
}

// locked writes one message at a time.
type locked struct {
	mu  sync.Mutex
	out io.Writer
}

// Write implements io.Writer.
func (w *locked) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(b)
}
