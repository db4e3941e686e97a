package grant

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"time"

	"vibey/dialog"
)

const testHead = "# Dialog\n> DialogId: 20260216-201100-bench\n> Provider: claude\n> Model: m\n> Status: active \n> Started: 2026-02-16T20:11:00Z\n"

var (
	testNow       = time.Date(2026, 2, 16, 21, 0, 0, 0, time.UTC)
	testAuthority = Authority{Key: []byte("k"), Project: "p", DialogID: "20260216-201100-x"}
)

// testPolicy asks for all but read_ tools, and always for doc-main.md.
var testPolicy = Policy{
	Free:         func(tool string) bool { return strings.HasPrefix(tool, "read_") },
	NeverBlanket: func(_, input string) bool { return strings.Contains(input, "doc-main.md") },
	Path:         func(_, input string) string { path, _ := testPaths(input); return path },
	Real:         func(_, input string) string { _, real := testPaths(input); return real },
}

// testPaths is where a call writes. A folder "link" is a link to "elsewhere" beside it.
func testPaths(input string) (named, real string) {
	var in struct{ Path string }
	if json.Unmarshal([]byte(input), &in) != nil || path.Clean(in.Path) != in.Path || strings.HasPrefix(in.Path, "..") {
		return "", ""
	}
	return in.Path, strings.ReplaceAll(in.Path, "/link/", "/elsewhere/")
}

// testVerdicts is all that d grants, and what may happen to its calls.
func testVerdicts(d *dialog.Dialog, a Authority) string {
	g := Of(d, a)
	return fmt.Sprintf("%v %+v", g, Decide(d, g, testPolicy))
}
