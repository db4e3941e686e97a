package main

import (
	"errors"
	"io/fs"
	"maps"
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

var (
	testWord = regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9]+)`")
	testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	oneWord  = regexp.MustCompile("`([^`]+)`")
	ofFolder = regexp.MustCompile("`([a-z0-9/]+)`: ")
)

// testsIn returns the names that a promise may give for what holds it, by the package's
// folder: test functions, in cmd/vibey scripts too, and in client files of tests.
func testsIn(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, p := range listPackages(t) {
		files, err := filepath.Glob(filepath.Join(p.Dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			found[p.room()] = append(found[p.room()], matches(testFunc, string(text))...)
		}
	}
	for folder, pattern := range map[string]string{"cmd/vibey": "testdata/script/*.txtar", "client": "../../client/test/*/*.test.*"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) < 10 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, f := range files {
			name, _, _ := strings.Cut(filepath.Base(f), ".")
			found[folder] = append(found[folder], name)
		}
	}
	return found
}

// Each promise names at least one test, and each attempt on an open door; each is there,
// in the package that the row names for it, and so is each test that the page's other
// words name. Each level is told of.
func TestSecurityNamesWhatIsThere(t *testing.T) {
	page, all := topFile(t, securityFile), testsIn(t)
	rows := 0
	for _, table := range []struct{ head, folder string }{{"| promise | what holds it | the test that would fail |\n", ""}, {"| attempt | the test |\n", "server/turn"}} {
		_, rest, ok := strings.Cut(page, table.head)
		if !ok {
			t.Fatalf("there is no table %q", table.head)
		}
		rest, _, _ = strings.Cut(rest, "\n\n")
		for _, row := range strings.Split(rest, "\n")[1:] {
			rows++
			cells := strings.Split(strings.Trim(row, "| "), " | ")
			if named := strings.Count(cells[len(cells)-1], "`"); named == 0 {
				t.Errorf("no test is named: %s", row)
			}
			for _, folder := range partsOf(table.folder, cells[len(cells)-1]) {
				if len(folder.tests) == 0 {
					t.Errorf("of %s no test is named: %s", folder.name, row)
				}
				for _, name := range folder.tests {
					if !slices.Contains(all[folder.name], name) {
						t.Errorf("%q has no test %s: %s", folder.name, name, cells[0])
					}
				}
			}
		}
	}
	if rows < 30 {
		t.Errorf("only %d rows", rows)
	}
	for _, name := range matches(testWord, page) {
		if !slices.ContainsFunc(slices.Collect(maps.Values(all)), func(tests []string) bool { return slices.Contains(tests, name) }) {
			t.Errorf("there is no test %s", name)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^\t[A-Z]\w+ Level = "(.+)"$`).FindAllStringSubmatch(topFile(t, "tools/sandbox/level.go"), -1) {
		if !strings.Contains(page, "| `"+m[1]+"` |") {
			t.Errorf("the level %s is not told", m[1])
		}
	}
}

// named are the tests that a cell names of one package.
type named struct {
	name  string
	tests []string
}

// partsOf reads "`server`: `TestA`, `TestB`. `dialog`: `TestC`"; what stands before the
// first package is of the given one.
func partsOf(folder, cell string) (parts []named) {
	at := 0
	for _, m := range append(ofFolder.FindAllStringSubmatchIndex(cell, -1), []int{len(cell), len(cell)}) {
		if words := matches(oneWord, cell[at:m[0]]); at > 0 || len(words) > 0 {
			parts = append(parts, named{folder, words})
		}
		if at = m[1]; len(m) > 2 {
			folder = cell[m[2]:m[3]]
		}
	}
	return parts
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
