package sandbox

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// The page of the documentation that has each cause with its commands.
const wallsPage = "doc-walls.md"

var (
	errNotInstalled = errors.New("bubblewrap is not installed")
	errSetuid       = errors.New("bubblewrap is setuid")
)

// refusedError is a level that was tried, and what its program said.
type refusedError struct{ words string }

func (e *refusedError) Error() string { return "it was tried, and failed: " + e.words }

// surroundings is what of the machine decides why bubblewrap is refused.
type surroundings struct {
	restricted bool // AppArmor keeps programs without a profile from making user namespaces
	container  bool // this is a container
}

func surroundingsHere() surroundings {
	set, _ := os.ReadFile("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
	in := os.Getenv("container") != ""
	for _, name := range []string{"/.dockerenv", "/run/.containerenv", "/etc/vibey-container"} {
		_, err := os.Lstat(name)
		in = in || err == nil
	}
	return surroundings{restricted: strings.TrimSpace(string(set)) == "1", container: in}
}

// whyNot says in sentences why commands can't run in bubblewrap, in its own words where it
// has any, and what a human does about it. No path of the machine is in it. commands are
// those of the remedy, a line each, for a human's shell; "" where there is a choice.
func whyNot(err error, here surroundings) (why, commands string) {
	said := ""
	if e, ok := errors.AsType[*refusedError](err); ok {
		said = bwrapWords(e.words)
	}
	cause, remedy := "", "What it says is what there is to go by."
	has := func(words string) bool { return strings.Contains(said, words) }
	switch {
	case errors.Is(err, errNotInstalled):
		cause, remedy = "It is not installed.", "Install the package bubblewrap."
		commands = "sudo apt install bubblewrap"
	case errors.Is(err, errSetuid):
		commands = `sudo chmod u-s "$(command -v bwrap)"`
		cause, remedy = "It is setuid here, and a program that runs as root is no wall for commands.", "Take that off with: "+commands+"."
	case has("Unknown option"):
		cause, remedy = "It is too old.", "Install version 0.7 or a later one."
	case has("uid map") || has("namespace") || has("Operation not permitted") || has("loopback"):
		switch {
		case here.container:
			cause, remedy = "This container lets no program make namespaces.", "Use Vibey's own image, or start the container so that it allows them."
		case here.restricted:
			cause, remedy = "AppArmor refuses it a namespace (kernel.apparmor_restrict_unprivileged_userns is 1).", "Load the profile bwrap-userns-restrict of the package apparmor-profiles."
			commands = appArmorProfile
		default:
			cause, remedy = "This system lets no program but root's make namespaces.", "Switch user namespaces on."
		}
	case said == "":
		cause = "It was tried, and did not work."
	}
	out := "Commands could run behind stronger walls, those of bubblewrap."
	if said != "" {
		out += fmt.Sprintf(" bwrap says: %q.", said)
	}
	for _, s := range []string{cause, remedy} {
		if s != "" {
			out += " " + s
		}
	}
	return out + " Then start vibey again. The commands stand in " + wallsPage + ".", commands
}

// appArmorProfile loads the profile with which bubblewrap may make namespaces.
const appArmorProfile = `sudo apt install apparmor-profiles
sudo cp /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/
sudo apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict`

var machinePath = regexp.MustCompile(`(^|[\s'"(])/[^\s:'")]*`)

// bwrapWords is what bubblewrap said last of what went wrong, in one line of bounded length
// without paths of the machine: a model reads it.
func bwrapWords(text string) (words string) {
	for line := range strings.Lines(text) {
		if _, after, ok := strings.Cut(line, "bwrap: "); ok {
			words = strings.TrimSpace(strings.ToValidUTF8(after, "?"))
		}
	}
	words = machinePath.ReplaceAllString(words, "${1}(a path)")
	if r := []rune(words); len(r) > 200 {
		words = string(r[:200])
	}
	return words
}

// Why says why commands don't run behind the strongest walls, and what to do about it; ""
// where they do. It waits for the probe.
func (r *Runner) Why() string {
	r.waitProbed()
	return r.why
}

// Remedy returns the commands of a human's shell that bring the strongest walls, a line
// each; "" where they stand, or where no command of Debian's does it. It waits for the probe.
func (r *Runner) Remedy() string {
	r.waitProbed()
	return r.remedy
}

// chosen is why where a human has chosen the level.
const chosen = "The start chose this level (--sandbox). Leave that out to have the strongest walls that there are."
