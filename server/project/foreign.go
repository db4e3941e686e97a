package project

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"vibey/server/project/folder"
)

// verdict is what the bytes of a file allow.
type verdict struct {
	why   string            // what keeps them from being a page's, within a sentence; "" for nothing
	taken bool              // a doc can be made of them
	sum   [sha256.Size]byte // of the text that it has then
}

// foreignMost is how many bytes are read of a text to judge it, and how many it has at
// most to be taken in: a longer one the window can't save.
const foreignMost = 16 << 20

const tooLarge = "it is larger than 16 MiB"

// judge finds out about a file at the project's top, and reads it if it has changed since.
// The error is fs.ErrNotExist alone.
func (p *Project) judge(name string) (verdict, error) {
	at, err := p.dir.Lstat(name)
	if err != nil {
		return verdict{}, err
	}
	return p.foreigners.get(name, at, func() (verdict, folder.Stamp, error) {
		_, is, at, err := p.readForeign(name)
		return is, at, err
	})
}

// readForeign judges a file, and returns its text if a doc can be made of it. It opens plain
// files alone. The error is fs.ErrNotExist; any other is told in what it returns.
func (p *Project) readForeign(name string) (text string, is verdict, at folder.Stamp, err error) {
	at, err = p.dir.Lstat(name)
	if err == nil && at.Plain && at.Size <= foreignMost {
		text, at, err = p.dir.ReadFirst(name, foreignMost)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", is, at, err
	case errors.Is(err, fs.ErrPermission):
		is.why = errUnreadable.Error()
	case err != nil:
		is.why = "it can't be read"
	case at.Folder:
		is.why = "it is a folder"
	case !at.Plain:
		is.why = "it is a link, a pipe or a device, which is not opened"
	case at.Size > foreignMost:
		is.why = tooLarge
	default:
		text, is = inUTF8(text)
		return text, is, at, nil
	}
	return "", is, at, nil
}

// inUTF8 returns a text in UTF-8, which it is, or becomes if a byte order mark says that it
// is UTF-16. What other bytes stand for is not certain, and they are not converted.
func inUTF8(b string) (text string, is verdict) {
	if utf8.ValidString(b) {
		return b, verdict{taken: true, sum: sha256.Sum256([]byte(b))}
	}
	order := binary.ByteOrder(binary.LittleEndian)
	switch {
	case strings.HasPrefix(b, "\xfe\xff"):
		order = binary.BigEndian
	case !strings.HasPrefix(b, "\xff\xfe"):
		return "", verdict{why: "its bytes are not UTF-8, and nothing in them says what they are; save it as UTF-8 in the program that it comes from"}
	}
	units := make([]uint16, 0, len(b)/2)
	for rest := []byte(b[2:]); len(rest) > 1; rest = rest[2:] {
		units = append(units, order.Uint16(rest))
	}
	text = string(utf16.Decode(units))
	if len(b)%2 != 0 || strings.ContainsRune(text, 0) || !slices.Equal(utf16.Encode([]rune(text)), units) {
		return "", verdict{why: "it begins as UTF-16 does, and is no such text; save it as UTF-8 in the program that it comes from"}
	}
	return text, verdict{why: "its bytes are UTF-16; taken in, it becomes UTF-8", taken: true, sum: sha256.Sum256([]byte(text))}
}
