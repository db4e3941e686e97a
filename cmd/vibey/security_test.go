package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	securityFile = ".github/SECURITY.md"
	attacksFile  = "tools/sandbox/testdata/attacks.md"
	attacksBegin = "<!-- attacks: made by a test, not by hand -->\n"
	attacksEnd   = "<!-- end of attacks -->\n"
)

// What SECURITY.md shows of the sandbox is what its test has measured, no more
// and no less: nothing where nothing was. UPDATE=1 puts the table in anew.
func TestSecurityShowsTheAttacks(t *testing.T) {
	page := topFile(t, securityFile)
	before, rest, ok := strings.Cut(page, attacksBegin)
	shown, after, ok2 := strings.Cut(rest, attacksEnd)
	if !ok || !ok2 {
		t.Fatal("the marks of the table are gone")
	}
	table, err := os.ReadFile(filepath.Join("..", "..", attacksFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if want := string(table); strings.TrimSpace(shown) == strings.TrimSpace(want) {
		return
	} else if os.Getenv("UPDATE") == "" {
		t.Fatalf("%s does not show %s as it is: UPDATE=1 go test ./cmd/vibey -run Security", securityFile, attacksFile)
	} else if want != "" {
		want = "\n" + strings.TrimSpace(want) + "\n\n"
		page = before + attacksBegin + want + attacksEnd + after
	} else {
		page = before + attacksBegin + attacksEnd + after
	}
	if err := os.WriteFile(filepath.Join("..", "..", securityFile), []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
}

var testWord = regexp.MustCompile("`(Test[A-Za-z]+)`")

// The tests, scripts and levels that the page names are there.
func TestSecurityNamesWhatIsThere(t *testing.T) {
	page := topFile(t, securityFile)
	for _, dir := range []string{"cmd/vibey", "cmd/vibey/e2e", "server", "server/mcp", "server/project", "server/turn", "dialog", "provider/replay", "tools", "tools/commit", "tools/mcp", "tools/sandbox"} {
		files, err := filepath.Glob(filepath.Join("..", "..", dir, "*_test.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(dir, err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(b), -1) {
				page = strings.ReplaceAll(page, "`"+m[1]+"`", "")
			}
		}
	}
	for _, left := range matches(testWord, page) {
		t.Errorf("there is no test %s", left)
	}
	for _, script := range []string{"decide", "tail", "export", "repair", "within"} {
		if _, err := os.Stat(filepath.Join("testdata", "script", script+".txtar")); err != nil || !strings.Contains(page, "`"+script+"`") {
			t.Errorf("script %s: %v", script, err)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^\t[A-Z]\w+ Level = "(.+)"$`).FindAllStringSubmatch(topFile(t, "tools/sandbox/level.go"), -1) {
		if !strings.Contains(page, "| `"+m[1]+"` |") {
			t.Errorf("the level %s is not told", m[1])
		}
	}
}

// starters are the files of the program that start a process. A new one belongs into the
// table of SECURITY.md that says what could hand it code or settings.
var starters = []string{
	"provider/acp/process.go",                 // an agent
	"tools/sandbox/helper/helper_linux.go",    // the command, within its walls
	"tools/sandbox/helper/supervise_linux.go", // the command, within its walls
	"tools/sandbox/keeper_linux.go",           // the keeper of the walls, which outlives a server that was killed
	"tools/sandbox/launched.go",               // bubblewrap, the supervisor, and at none the command
}

var starts = regexp.MustCompile(`\b(exec\.Command(Context)?\(|exec\.Cmd\{|os\.StartProcess\(|(syscall|unix)\.(Exec|ForkExec|StartProcess)\()`)

func TestWhatStartsProcesses(t *testing.T) {
	var found []string
	for _, p := range listPackages(t) {
		if strings.HasPrefix(p.room(), "provider/providertest") || strings.HasPrefix(p.room(), "cmd/") && p.room() != "cmd/vibey" {
			continue // not of the program
		}
		files, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(f, "_test.go") && starts.Match(text) {
				found = append(found, p.room()+"/"+filepath.Base(f))
			}
		}
	}
	if slices.Sort(found); !slices.Equal(found, starters) {
		t.Errorf("processes are started in %q, and the table of %s was made for %q", found, securityFile, starters)
	}
}
