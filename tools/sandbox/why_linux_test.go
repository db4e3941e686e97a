package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A bubblewrap that does not work is told by its cause, in its own words, with a remedy of
// its own that the page has; no path of the machine is in it.
func TestWhyWallsAreWeaker(t *testing.T) {
	page, err := os.ReadFile("../../vibey/vibey/" + wallsPage)
	if err != nil {
		t.Fatal(err)
	}
	ubuntu := surroundings{restricted: true}
	for name, c := range map[string]struct {
		script  string // what the stand-in does; "" where there is none
		setuid  bool
		here    surroundings
		said    string
		cause   string
		heading string // of the page
	}{
		"none":               {cause: "It is not installed. Install the package bubblewrap.", heading: "It is not installed"},
		"setuid":             {script: "exit 0", setuid: true, cause: "It is setuid here", heading: "It is setuid"},
		"AppArmor":           {script: `echo "bwrap: setting up uid map: Permission denied" >&2; exit 1`, here: ubuntu, said: "setting up uid map: Permission denied", cause: "AppArmor refuses it a namespace (kernel.apparmor_restrict_unprivileged_userns is 1). Load the profile bwrap-userns-restrict of the package apparmor-profiles.", heading: "AppArmor refuses it a namespace"},
		"AppArmor, loopback": {script: `echo "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted" >&2; exit 1`, here: ubuntu, said: "loopback: Failed RTM_NEWADDR: Operation not permitted", cause: "AppArmor refuses"},
		"a container":        {script: `echo "bwrap: Creating new namespace failed: Operation not permitted" >&2; exit 1`, here: surroundings{true, true}, said: "Creating new namespace failed: Operation not permitted", cause: "This container lets no program make namespaces.", heading: "This container lets no program make namespaces"},
		"a kernel":           {script: `echo "bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces." >&2; exit 1`, said: "No permissions to create new namespace", cause: "This system lets no program but root's make namespaces.", heading: "This system lets no program but root's make namespaces"},
		"too old":            {script: `echo "bwrap: Unknown option --size" >&2; exit 1`, here: ubuntu, said: "Unknown option --size", cause: "It is too old. Install version 0.7", heading: "It is too old"},
		"another":            {script: `echo "bwrap: Can't mkdir /home/x: Read-only" >&2; exit 1`, said: "Can't mkdir (a path): Read-only", cause: "What it says"},
		"silence":            {script: "exit 1", cause: "It was tried, and did not work."},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c2 := w.config(Bwrap)
			c2.bwrap = []string{filepath.Join(w.dir, "bwrap")}
			c2.Output = 1 << 20
			c2.Guard = func(_ string, f func() error) error { return f() }
			if c.script != "" {
				w.write(t, "bwrap", "#!/bin/sh\n"+c.script+"\n")
				mode := os.FileMode(0o755)
				if c.setuid {
					mode |= os.ModeSetuid
				}
				if err := os.Chmod(c2.bwrap[0], mode); err != nil {
					t.Fatal(err)
				}
			}
			_, err := (&Runner{config: c2, servers: &serverList{guard: c2.Guard}, layers: new(layers)}).try(Bwrap, c2)
			if err == nil {
				t.Fatal("it works")
			}
			why, commands := whyNot(err, c.here)
			if !strings.Contains(why, c.cause) || strings.Contains(why, w.dir) || c.said != "" && !strings.Contains(why, c.said) {
				t.Errorf("%v: %s", err, why)
			}
			if !strings.Contains(why, wallsPage) || !strings.Contains(string(page), "\n## "+c.heading) {
				t.Errorf("the page lacks %q: %s", c.heading, why)
			}
			if (commands != "") != (name == "none" || name == "setuid" || strings.HasPrefix(name, "AppArmor")) {
				t.Errorf("the commands: %q", commands)
			}
			for line := range strings.Lines(commands) {
				if !strings.Contains(string(page), "    "+strings.TrimSpace(line)) {
					t.Errorf("the page lacks the command %q", line)
				}
			}
		})
	}
	r := Probe(Config{Levels: []Level{Landlock, None}})
	if why := Probe(Config{Levels: []Level{None}}).Why(); why != chosen || r.Why() != "" {
		t.Errorf("chosen: %q, %q", why, r.Why())
	}
	w := newWorld(t)
	c := w.config(Bwrap)
	c.Levels, c.bwrap = Strongest(), []string{filepath.Join(w.dir, "none")}
	if why := Probe(c).Why(); !strings.Contains(why, "not installed") {
		t.Errorf("%q", why)
	}
}
