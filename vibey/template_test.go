package vibey

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"vibey/dialog/grant"
)

func TestTemplate(t *testing.T) {
	for _, name := range []string{"my-game", "NAME", "a.b_c-1"} {
		page := Template(name)
		if !strings.HasPrefix(page, "# "+name+"\n") {
			t.Errorf("%s: the page begins %.40q", name, page)
		}
		// It goes into the first request of each dialog, and is paid for there.
		if len(page) > 1800 {
			t.Errorf("%s: %d bytes", name, len(page))
		}
		if r, problems := grant.ParseRules(page, grant.Known{}); len(problems) > 0 || len(r.At) > 0 {
			t.Errorf("%s: a rule holds that nobody wrote: %+v %v", name, r, problems)
		}
		uncommented := strings.NewReplacer("\n# tools read", "\ntools read", "\n# phases on", "\nphases on", "\n# verify", "\nverify", "\n# budget", "\nbudget").Replace(page)
		if r, problems := grant.ParseRules(uncommented, grant.Known{Sets: []string{"read", "plan"}}); len(problems) > 0 || len(r.At) != 4 || !r.Phases {
			t.Errorf("%s: with the rules switched on: %+v %v", name, r, problems)
		}
		for _, want := range []string{"## What should exist", "please start", "deed/", "doc-something.md", "ask me", "əəəproject/v1\n# tools"} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page does not say %q", name, want)
			}
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)#]+)`)

// Our own pages are read by agents too: an example in them must not be taken
// for a rule, and a link must lead somewhere.
func TestOwnPages(t *testing.T) {
	for _, page := range []string{"vibey/doc-main.md", ".welcome/doc-main.md"} {
		b, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(b), "\n") {
			if strings.HasPrefix(line, "əəə") {
				t.Errorf("%s:%d: begins with a fence, and so is not an example", page, i+1)
			}
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				if _, err := os.Stat("vibey/" + m[1]); err != nil {
					t.Errorf("%s:%d: %v", page, i+1, err)
				}
			}
		}
	}
}
