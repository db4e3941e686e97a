package layer

import (
	"os"
	"path/filepath"
	"testing"

	"vibey/tools/git"
)

// TestGitRules: half of a repository is in the deed and half in the layer.
func TestGitRules(t *testing.T) {
	deed, up := t.TempDir(), t.TempDir()
	for at, text := range map[string]string{
		deed + "/x/HEAD": "", deed + "/x/refs/a": "", deed + "/y/HEAD": "", deed + "/y/refs/a": "", deed + "/y/objects/a": "",
		up + "/x/objects/a": "", up + "/x/config": "[core]\n\tbare = true\n\tfsmonitor = evil\n", up + "/x/hooks/update": "", up + "/y/hooks/update": "",
	} {
		os.MkdirAll(filepath.Dir(at), 0o755)
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	lower, err := os.OpenRoot(deed)
	if err != nil {
		t.Fatal(err)
	}
	defer lower.Close()
	upper, err := os.OpenRoot(up)
	if err != nil {
		t.Fatal(err)
	}
	defer upper.Close()
	var touched []git.Touched
	for _, name := range []string{"x", "x/objects", "x/objects/a", "x/config", "x/hooks", "x/hooks/update", "y", "y/hooks", "y/hooks/update"} {
		touched = append(touched, git.Touched{Name: name})
	}
	touched = append(touched, git.Touched{Name: "y/objects/a", Gone: true})
	got := gitRules(touched, lower, upper, git.Human{})
	if !got["x/hooks/update"].Refused || !got["y/hooks/update"].Refused || got["x/config"].Refused || len(got) != 3 {
		t.Errorf("%v", got)
	}
	if err := replace(upper, "x/config", got["x/config"].Text); err != nil {
		t.Fatal(err)
	}
	if b, _ := upper.ReadFile("x/config"); string(b) != "# A command made this: what it may not set does not count.\n[core]\n\tbare = true\n" {
		t.Errorf("%q", b)
	}
}
