package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

const module = "vibey"

// room is one package: the rooms and the modules that it imports, tests aside.
// A new arrow is a new word in this table, and one that is not needed any more
// fails the test.
type room struct {
	knows   string
	modules string
}

// house has all rooms, from the ground up. Every arrow points to a line above.
var house = map[string]room{
	"dialog":          {},
	"dialog/jsontext": {},
	"dialog/change":   {knows: "dialog"},
	"dialog/picture":  {knows: "dialog"},
	"dialog/effect":   {},
	"dialog/grant":    {knows: "dialog dialog/effect dialog/jsontext"},
	"dialog/history":  {knows: "dialog dialog/jsontext dialog/picture"},
	"dialog/claim":    {},
	"dialog/why":      {knows: "dialog dialog/change dialog/grant dialog/jsontext"},
	"dialog/governor": {knows: "dialog dialog/claim dialog/history dialog/picture dialog/change dialog/grant"},
	"dialog/plan":     {knows: "dialog dialog/history dialog/jsontext"},

	"tools/caught":         {modules: "github.com/google/uuid"},
	"tools/disk":           {modules: "golang.org/x/sys"},
	"tools/disk/tree":      {modules: "golang.org/x/sys"},
	"tools/sandbox/helper": {modules: "golang.org/x/sys"},
	"tools/sandbox":        {knows: "tools/disk tools/disk/tree tools/git tools/layer tools/sandbox/helper", modules: "golang.org/x/sys"},
	"tools/git":            {knows: "tools/disk tools/disk/tree", modules: "golang.org/x/sys"},
	"tools/layer":          {knows: "dialog/effect tools/disk tools/disk/tree tools/git", modules: "golang.org/x/sys"},
	"tools/codebase":       {knows: "tools/disk tools/disk/tree"},
	"tools/instructions":   {knows: "dialog tools/caught", modules: "go.yaml.in/yaml/v4"},
	"tools/commit":         {knows: "tools/disk tools/disk/tree tools/sandbox"},
	"tools/browser":        {knows: "tools/caught", modules: "github.com/chromedp/cdproto github.com/chromedp/chromedp"},
	"tools/mcp":            {knows: "tools/caught dialog/history dialog/jsontext", modules: "github.com/modelcontextprotocol/go-sdk"},
	"tools/mcp/mcptest":    {modules: "github.com/modelcontextprotocol/go-sdk"},
	"tools":                {knows: "dialog dialog/jsontext dialog/plan dialog/history dialog/change dialog/effect dialog/grant tools/browser tools/caught tools/disk tools/disk/tree tools/git tools/layer tools/mcp tools/sandbox", modules: "github.com/invopop/jsonschema golang.org/x/sys"},

	"provider":                   {knows: "dialog dialog/history"},
	"provider/wire":              {knows: "dialog dialog/jsontext dialog/history dialog/picture provider"},
	"provider/anthropic":         {knows: "dialog dialog/jsontext dialog/history provider provider/wire"},
	"provider/responses":         {knows: "dialog dialog/jsontext dialog/history provider provider/wire"},
	"provider/chat":              {knows: "dialog dialog/jsontext dialog/history provider provider/wire"},
	"provider/texttag":           {knows: "dialog dialog/jsontext dialog/history provider provider/chat provider/wire"},
	"provider/replay":            {knows: "dialog dialog/jsontext dialog/history provider provider/wire"},
	"provider/acp":               {knows: "dialog/jsontext provider tools/caught", modules: "golang.org/x/sys"},
	"provider/wire/foldtest":     {knows: "dialog provider provider/wire provider/providertest dialog/history", modules: "github.com/google/go-cmp pgregory.net/rapid"},
	"provider/providertest":      {knows: "provider dialog/history", modules: "github.com/rogpeppe/go-internal"},
	"provider/providertest/mock": {knows: "provider/providertest"},

	"server/project/folder": {knows: "tools/disk", modules: "golang.org/x/sys"},

	"server/project":     {knows: "dialog dialog/effect dialog/grant dialog/picture dialog/why tools/caught tools/disk tools/disk/tree tools/git tools/layer server/project/folder", modules: "github.com/fsnotify/fsnotify golang.org/x/sys"},
	"server/hub":         {knows: "dialog dialog/effect dialog/history dialog/grant"},
	"server/turn/record": {knows: "dialog dialog/governor dialog/grant provider server/hub"},
	"server/turn/family": {knows: "dialog dialog/governor dialog/grant provider server/hub server/project server/turn/record tools tools/caught"},
	"server/turn/brief":  {knows: "dialog dialog/jsontext dialog/plan dialog/history dialog/grant provider server/project server/turn/record tools tools/codebase tools/instructions tools/mcp"},
	"server/turn/undo":   {knows: "dialog dialog/change server/project tools tools/commit"},
	"server/view":        {knows: "dialog dialog/change dialog/why dialog/effect dialog/governor dialog/plan dialog/history dialog/jsontext dialog/grant tools tools/caught tools/disk tools/mcp tools/sandbox provider server/hub server/project"},
	"server/turn/agent":  {knows: "dialog dialog/jsontext dialog/history dialog/picture dialog/change dialog/grant provider provider/acp server/hub server/project server/turn/record tools tools/caught tools/disk tools/disk/tree tools/instructions tools/sandbox"},
	"server/turn":        {knows: "server/turn/agent server/view server/turn/undo server/turn/brief server/turn/family server/turn/record dialog dialog/governor dialog/jsontext dialog/plan dialog/history dialog/picture dialog/change dialog/effect dialog/grant tools tools/caught tools/codebase tools/commit tools/disk tools/layer tools/sandbox provider provider/acp server/hub server/project"},

	"client": {},
	"vibey":  {},

	"server/markdown": {knows: "tools/caught", modules: "github.com/yuin/goldmark"},
	"server/reading":  {knows: "dialog"},

	"server/acp": {knows: "dialog dialog/plan dialog/history dialog/picture dialog/jsontext dialog/grant tools/caught provider provider/acp server/hub server/project server/turn server/view"},
	"server/mcp": {knows: "dialog dialog/grant tools/caught server/hub server/project server/turn server/view", modules: "github.com/modelcontextprotocol/go-sdk"},

	// The skin knows what a provider is and what a model costs, but no provider.
	"server": {
		knows:   "dialog dialog/why dialog/effect dialog/jsontext dialog/history dialog/change dialog/grant dialog/picture tools/caught provider server/hub server/markdown server/project server/reading server/turn server/view",
		modules: "github.com/google/uuid github.com/gorilla/mux github.com/invopop/jsonschema",
	},

	"cmd/vibey/args": {},

	// The only place where all of it is put together.
	"cmd/vibey": {
		knows: "cmd/vibey/args dialog dialog/jsontext dialog/why dialog/history dialog/change dialog/grant dialog/picture tools tools/caught tools/disk tools/disk/tree tools/layer tools/mcp tools/sandbox provider provider/acp provider/anthropic provider/responses provider/texttag " +
			"provider/replay server/hub server/markdown server/project server/turn server/view server/acp server/mcp server client vibey",
	},
	"cmd/vibey/e2e":       {},
	"cmd/tally/testenv":   {},
	"cmd/tally":           {knows: "cmd/tally/testenv"},
	"cmd/vibey/e2e/crash": {},
}

// forTests are modules that only tests import.
const forTests = "github.com/google/go-cmp github.com/rogpeppe/go-internal pgregory.net/rapid"

// impure is what a room that only turns text into decisions must not import,
// each with all that stands below it.
const impure = "os net io/fs crypto/rand math/rand log syscall unsafe runtime embed path/filepath plugin testing"

// pure reports whether that holds for a room, and that it reads no clock: for
// dialog and all rooms in it.
func pure(room string) bool { return within(room, "dialog") }

// pkg is what the tests here read of a package in `go list -json`.
type pkg struct {
	ImportPath, Dir                    string
	GoFiles                            []string
	Imports, TestImports, XTestImports []string
}

func (p pkg) room() string { return strings.TrimPrefix(p.ImportPath, module+"/") }

func listPackages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Dir,GoFiles,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = filepath.Join("..", "..")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	var all []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// forbidden returns what is wrong with one import of a room, or "".
func forbidden(from, path string, inTest bool) string {
	if own, ok := strings.CutPrefix(path, module+"/"); ok {
		switch {
		case own == from:
			return ""
		case inTest && (!reaches(own, from) || within(own, from)):
			return "" // a test may look sideways, down and into the rooms within its own, never up
		case slices.Contains(strings.Fields(house[from].knows), own):
			return ""
		}
		return from + " does not know " + own
	}
	if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") {
		if pure(from) && !inTest && within(path, impure) {
			return from + " is pure, and must not import " + path
		}
		return ""
	}
	if within(path, house[from].modules) || inTest && within(path, forTests) {
		return ""
	}
	return from + " may not import " + path + " of another module"
}

// within reports whether path is one of the space-separated roots, or below one.
func within(path, roots string) bool {
	for _, r := range strings.Fields(roots) {
		if path == r || strings.HasPrefix(path, r+"/") {
			return true
		}
	}
	return false
}

// reaches reports whether room a knows room b, directly or through others.
func reaches(a, b string) bool {
	for _, next := range strings.Fields(house[a].knows) {
		if next == b || reaches(next, b) {
			return true
		}
	}
	return false
}

// unused returns the arrows of a room that none of its imports needs.
func unused(r room, imports []string) (arrows []string) {
	for _, own := range strings.Fields(r.knows) {
		if !slices.Contains(imports, module+"/"+own) {
			arrows = append(arrows, own)
		}
	}
	for _, root := range strings.Fields(r.modules) {
		if !slices.ContainsFunc(imports, func(path string) bool { return within(path, root) }) {
			arrows = append(arrows, root)
		}
	}
	return arrows
}

func TestArrows(t *testing.T) {
	packages := listPackages(t)
	if len(packages) < 5 {
		t.Fatalf("go list found %d packages, which can't be all", len(packages))
	}
	there := map[string]bool{}
	for _, p := range packages {
		there[p.room()] = true
		if _, ok := house[p.room()]; !ok {
			t.Errorf("%s is a room that the table does not have", p.room())
			continue
		}
		if runtime.GOOS == "linux" { // the one system for which every file is built
			for _, arrow := range unused(house[p.room()], p.Imports) {
				t.Errorf("%s does not import %s, and the table says that it does", p.room(), arrow)
			}
		}
		for _, path := range p.Imports {
			if f := forbidden(p.room(), path, false); f != "" {
				t.Error(f)
			}
		}
		for _, path := range slices.Concat(p.TestImports, p.XTestImports) {
			if f := forbidden(p.room(), path, true); f != "" {
				t.Error("in a test, " + f)
			}
		}
	}
	for room := range house {
		if !there[room] {
			t.Errorf("the table has a room %s, and there is none", room)
		}
	}
}

func TestUnused(t *testing.T) {
	r := room{knows: "dialog tools", modules: "golang.org/x/sys example.org/y"}
	if got := unused(r, []string{"os", "vibey/dialog", "vibey/tools/caught", "golang.org/x/sys/unix"}); !slices.Equal(got, []string{"tools", "example.org/y"}) {
		t.Errorf("%q", got)
	}
}

// Templates call any method by its name, so a program with them keeps every method of
// every type it has: 2.5 MB, and the file is to be one of 20.
func TestNoTemplates(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "./cmd/vibey")
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Fields(string(out))
	if !slices.Contains(all, module+"/cmd/vibey") {
		t.Fatalf("go list told %d packages, and not the program", len(all))
	}
	for _, path := range all {
		if within(path, "text/template html/template") {
			t.Error("the program has " + path + " in it")
		}
	}
}

// The test of the arrows can only be trusted if what it stands on says no.
func TestForbidden(t *testing.T) {
	for _, c := range []struct {
		from, path string
		inTest, ok bool
	}{
		{"dialog/history", "vibey/dialog", false, true},
		{"dialog/jsontext", "vibey/dialog", false, false},
		{"dialog/jsontext", "os", false, false},
		{"dialog", "vibey/dialog/jsontext", false, false},
		{"dialog", "vibey/server", true, false},
		{"dialog", "vibey/dialog/jsontext", true, true},
		{"provider", "vibey/server", true, false},
		{"dialog", "strings", false, true},
		{"dialog", "os", false, false},
		{"dialog", "os", true, true},
		{"dialog", "os/exec", false, false},
		{"dialog", "net/http", false, false},
		{"dialog", "math/rand/v2", false, false},
		{"dialog", "math/big", false, true},
		{"dialog", "github.com/google/go-cmp/cmp", true, true},
		{"dialog", "github.com/google/go-cmp/cmp", false, false},
		{"tools", "vibey/provider", false, false},
		{"provider/chat", "vibey/tools", false, false},
		{"provider/chat", "vibey/provider/anthropic", false, false},
		{"server", "vibey/tools", false, false},
		{"server", "github.com/gorilla/mux", false, true},
		{"server/turn", "vibey/provider/providertest", true, true},
		{"server/turn", "vibey/provider/providertest", false, false},
		{"server/turn", "vibey/server", true, false},
		{"cmd/vibey", "vibey/provider/replay", false, true},
	} {
		if f := forbidden(c.from, c.path, c.inTest); (f == "") != c.ok {
			t.Errorf("%s imports %s, in a test %v: %q", c.from, c.path, c.inTest, f)
		}
	}
}

// deepest is the most floors that the house has. One of them is the helper's: it
// stands below all else so that it is set up first.
const deepest = 9

// Every arrow of the table points to a room that stands there, and none comes
// back: taking away again and again the rooms that know only what is already
// taken leaves nothing, after as many times as the house has floors.
func TestTable(t *testing.T) {
	taken := map[string]bool{}
	for floor := 1; len(taken) < len(house); floor++ {
		var now []string
		for name, r := range house {
			open := func(to string) bool { return !taken[to] }
			if !taken[name] && !slices.ContainsFunc(strings.Fields(r.knows), open) {
				now = append(now, name)
			}
		}
		if len(now) == 0 || floor > deepest {
			t.Fatalf("of %d rooms, %d stand on %d floors; in the others an arrow comes back, points to no room, or goes too deep", len(house), len(taken), floor-1)
		}
		for _, name := range now {
			taken[name] = true
		}
	}
}

// ground is all that may stand at the top level beside what .gitignore names there.
const ground = ".ci .container .git .github .gitignore LICENSE README.md client cmd dialog go.mod go.sum justfile provider server tools vibey"

func TestTopLevel(t *testing.T) {
	top := filepath.Join("..", "..")
	ignored, err := os.ReadFile(filepath.Join(top, ".gitignore"))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(top)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := e.Name(); !slices.Contains(strings.Fields(ground), name) && !slices.Contains(strings.Fields(string(ignored)), "/"+name+"/") {
			t.Errorf("%s stands at the top level, where only these may: %s", name, ground)
		}
	}
	for _, name := range []string{"LICENSE", "README.md", "justfile", "go.mod", "go.sum", ".ci/run", ".container/Dockerfile", ".github/SECURITY.md"} {
		if _, err := os.Stat(filepath.Join(top, name)); err != nil {
			t.Error(err)
		}
	}
}
