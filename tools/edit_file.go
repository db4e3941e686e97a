package tools

import (
	"bytes"
	"context"
	"io/fs"
	"strings"
)

type editFileInput struct {
	Path        string `json:"path" jsonschema:"minLength=1"`
	OldString   string `json:"old_string" jsonschema:"minLength=1"`
	NewString   string `json:"new_string"`
	Description string `json:"description,omitempty"`
}

// editFile replaces the only occurrence of OldString, compared byte for byte. The
// bytes around it stay.
func editFile(ctx context.Context, env Env, in editFileInput) Result {
	if in.OldString == in.NewString {
		return failed(ExecError, "old_string and new_string are the same: nothing would change. Send the text as it should be in new_string.")
	}
	return rewrite(ctx, env, in.Path, false, func(old []byte, fi fs.FileInfo) ([]byte, error) {
		if fi == nil {
			return nil, fs.ErrNotExist
		}
		return replaceOnce(in.Path, old, in.OldString, in.NewString)
	})
}

func replaceOnce(name string, old []byte, from, to string) ([]byte, error) {
	if !bytes.Contains(old, []byte(from)) {
		return nil, errEnded{failed(ExecError, "old_string does not stand in %s (%d bytes); nothing was changed. Read the file and copy the place exactly, with its blanks and line ends.%s", clip(name, 300), len(old), hint(old, from))}
	}
	if !once(old, from) {
		return nil, errEnded{failed(ExecError, "old_string stands %d times in %s (overlaps included); it must stand exactly once, and nothing was changed. Add lines before or after it until only the place you mean fits.", count(old, from), clip(name, 300))}
	}
	return bytes.Replace(old, []byte(from), []byte(to), 1), nil
}

// hint names the common reason, if it is one, why a text that looks right is not found.
func hint(old []byte, from string) string {
	unix := strings.ReplaceAll(from, "\r\n", "\n")
	switch {
	case strings.Contains(from, "\n") && bytes.Contains(old, []byte(strings.ReplaceAll(unix, "\n", "\r\n"))):
		return ` The file's lines end in "\r\n": send them so, in new_string too.`
	case unix != from && bytes.Contains(old, []byte(unix)):
		return ` The file's lines end in "\n", not in "\r\n".`
	case bytes.Contains(old, []byte(strings.TrimSpace(from))) && strings.TrimSpace(from) != "":
		return " It would fit without the blanks or line ends around it."
	}
	return ""
}

// count returns how often from occurs in text, overlaps included, in linear time
// (Knuth, Morris, Pratt): a long run of one character would otherwise take quadratic
// time.
func count(text []byte, from string) (n int) {
	border := make([]int32, len(from)) // of each head of from: its longest proper border
	// next returns the length of the longest head of from that ends with c, behind such a head.
	next := func(head int32, c byte) int32 {
		for head > 0 && (int(head) == len(from) || c != from[head]) {
			head = border[head-1]
		}
		if c == from[head] {
			head++
		}
		return head
	}
	for i := 1; i < len(from); i++ {
		border[i] = next(border[i-1], from[i])
	}
	head := int32(0)
	for _, c := range text {
		if head = next(head, c); int(head) == len(from) {
			n++
		}
	}
	return n
}
