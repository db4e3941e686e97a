package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"vibey/cmd/tally/testenv"
	"vibey/tools/layer"
	"vibey/tools/mcp/mcptest"
	"vibey/tools/sandbox"
)

// The scripts in testdata/script drive the real program against replay. Three
// helpers are programs too:
//
//	http METHOD PATH [BODY]    a request to the server on $VIBEY_STATE, with its token
//	await FILE [TEXT]          waits until a file is there, and holds TEXT
//	mcpserver KIND             an MCP server of the package mcptest; KIND http and a file,
//	                           which gets its address, is the honest one over HTTP
func TestMain(m *testing.M) {
	testscript.Main(surrounded{m}, map[string]func(){
		"vibey":     main,
		"http":      func() { os.Exit(httpMain(os.Args[1:])) },
		"await":     func() { os.Exit(awaitMain(os.Args[1:])) },
		"mcpserver": func() { mcptest.Main(os.Args[1:]...) },
	})
}

// surrounded are the tests in the surroundings that they count on.
type surrounded struct{ *testing.M }

func (s surrounded) Run() int { return testenv.Main(s.M) }

func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE") != "",
		Condition:           condition,
		Setup: func(e *testscript.Env) error {
			e.Setenv("VIBEY_DIR", e.Getenv("WORK")+"/vibey")
			e.Setenv("VIBEY_STATE", e.Getenv("WORK")+"/state")
			e.Setenv("VIBEY_ADDR", "127.0.0.1:0")
			e.Setenv("TZ", "UTC")
			return nil
		},
	})
}

// condition tells what a script may ask for in brackets: whether commands can be
// sandboxed here, and get a layer, whether a slow script is left to CI, and whether this is root.
func condition(word string) (bool, error) {
	switch word {
	case "sandbox", "layers":
	case "slow":
		return testenv.LeavesSlow(), nil
	case "root":
		return os.Geteuid() == 0, nil
	default:
		return false, errors.New("no such condition: " + word)
	}
	box := sandbox.Probe(sandbox.Config{Path: os.Getenv("PATH"), Levels: sandbox.Strongest(), Layers: []layer.By{layer.Overlay, layer.Copy}})
	return box.Level() != sandbox.None && (word == "sandbox" || box.LayersBy() != ""), nil
}

// patience is how long a helper waits for what must come.
const patience = 20 * time.Second

// await calls done until it says yes.
func await(done func() bool) error {
	for start := time.Now(); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Since(start) > patience {
			return errors.New("nothing came")
		}
	}
	return nil
}

func awaitMain(args []string) int {
	err := await(func() bool {
		found, _ := filepath.Glob(args[0])
		if len(found) == 0 || len(args) == 1 {
			return len(found) > 0
		}
		b, _ := os.ReadFile(found[0])
		return strings.Contains(string(b), args[1])
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, args[0], err)
		return 1
	}
	return 0
}

func httpMain(args []string) int {
	status, body, err := request(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Printf("%d\n%s\n", status, body)
	if status >= 400 {
		return 1
	}
	return 0
}

func request(args []string) (status int, body []byte, err error) {
	state := os.Getenv("VIBEY_STATE")
	var at []byte
	if err := await(func() bool { at, err = os.ReadFile(filepath.Join(state, addressFile)); return err == nil }); err != nil {
		return 0, nil, err
	}
	var in io.Reader = http.NoBody
	if len(args) > 2 {
		in = bytes.NewBufferString(args[2])
	}
	r, err := http.NewRequest(args[0], "http://"+strings.TrimSpace(string(at))+args[1], in)
	if err != nil {
		return 0, nil, err
	}
	if len(args) > 2 {
		r.Header.Set("Content-Type", "application/json")
	}
	if token, err := os.ReadFile(filepath.Join(state, "token")); err == nil {
		r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	body, err = io.ReadAll(answer.Body)
	return answer.StatusCode, body, err
}
