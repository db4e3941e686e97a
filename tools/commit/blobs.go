package commit

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"strconv"
	"strings"

	"vibey/tools/sandbox"
)

// Blobs reads blobs of the deed's repository by their names, in the sandbox. One that git
// does not give as it was asked for, by its SHA-1, is left out. All together they have to
// find room in a command's output.
func Blobs(ctx context.Context, r *sandbox.Runner, s Spec, names []string) map[string][]byte {
	c, cancel := begin(ctx, r, s)
	defer cancel()
	out, err := c.run("printf '%s\\n' " + sandbox.Quote(names...) + " | git cat-file --batch\n")
	if err != nil {
		return nil
	}
	found := map[string][]byte{}
	for rest := []byte(out); ; {
		head, more, ok := bytes.Cut(rest, []byte("\n"))
		words := strings.Fields(string(head))
		if !ok || len(words) < 2 {
			return found
		}
		if len(words) != 3 || words[1] != "blob" {
			rest = more // "missing"
			continue
		}
		size, err := strconv.Atoi(words[2])
		if err != nil || size < 0 || size >= len(more) {
			return found
		}
		sum := sha1.Sum([]byte("blob " + words[2] + "\x00" + string(more[:size])))
		if hex.EncodeToString(sum[:]) == words[0] {
			found[words[0]] = more[:size]
		}
		rest = more[size+1:]
	}
}
