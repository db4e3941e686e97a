package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"vibey/cmd/tally/testenv"
)

// binary is the program under test, built once with buildFlags.
var (
	binary     string
	buildFlags []string
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && standIns[os.Args[1]] != nil {
		if err := standIns[os.Args[1]](os.Args[2], os.Args[3:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		return
	}
	flag.Parse()
	// These tests wait for processes and for models that take their time: more of
	// them at once than there are processors.
	flag.Set("test.parallel", "6")
	os.Exit(build(m))
}

func build(m *testing.M) int {
	dir, err := os.MkdirTemp("", "vibey-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "vibey")
	cmd := exec.Command("go", slices.Concat([]string{"build", "-o", binary}, buildFlags, []string{"vibey/cmd/vibey"})...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build the program:", err)
		return 1
	}
	return testenv.Main(m)
}
