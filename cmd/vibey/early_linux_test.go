package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The helper of a command is this whole program, and begins before the large
// packages are set up: those would cost each command 2 to 4 ms.
func TestHelperBeginsEarly(t *testing.T) {
	cmd := exec.Command(os.Args[0], "sandbox-helper", "no plan", "true")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "the command was not run") {
		t.Fatalf("%v: %s", err, out)
	}
	// What our own packages make before that each command pays for: expressions wait for their use.
	own := 0
	for _, m := range regexp.MustCompile(`(?m)^init vibey/.* (\d+) bytes, `).FindAllStringSubmatch(string(out), -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		own += n
	}
	if own == 0 || own > 120<<10 {
		t.Errorf("our packages make %d bytes before the helper begins", own)
	}
	for _, late := range []string{"github.com/yuin/goldmark/extension @", "net/http @", "vibey/tools/sandbox @"} {
		if strings.Contains(string(out), "init "+late) {
			t.Errorf("%s is set up before the helper begins", late)
		}
	}
}
