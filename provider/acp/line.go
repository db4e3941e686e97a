package acp

import (
	"bufio"
	"errors"
	"io"
)

// lines reads lines of at most maxLine bytes.
type lines struct {
	r    *bufio.Reader
	long []byte // a line that is longer than r's buffer
}

func newLines(r io.Reader) *lines { return &lines{r: bufio.NewReaderSize(r, 64<<10)} }

// next returns the next line, valid until the next call. A last line without a line
// feed counts; behind it the error is io.EOF.
func (l *lines) next() ([]byte, error) {
	l.long = l.long[:0]
	if cap(l.long) > 1<<20 {
		l.long = nil // one large message must not hold its memory for good
	}
	for {
		piece, err := l.r.ReadSlice('\n')
		if len(l.long)+len(piece) > maxLine {
			return nil, ErrLine
		}
		if err == nil && len(l.long) == 0 {
			return piece, nil
		}
		l.long = append(l.long, piece...)
		switch {
		case err == nil:
			return l.long, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(l.long) > 0:
			return l.long, nil
		default:
			return nil, err
		}
	}
}
