package git

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
)

func (g ground) folder() Folder {
	return Folder{Dir: g.deed, Human: g.human()}
}

func (g ground) stand() *Standing {
	g.t.Helper()
	s, err := g.folder().Stand(g.t.Context())
	if err != nil {
		g.t.Fatal(err)
	}
	return s
}

func (g ground) mend(before *Standing, shielded bool) string {
	g.t.Helper()
	told, err := g.folder().Mend(g.t.Context(), before, shielded)
	if err != nil {
		g.t.Fatal(err, told)
	}
	return strings.Join(told, "\n")
}

// TestMend: the same without a layer, and twice.
func TestMend(t *testing.T) {
	testenv.Slow(t) // in -short TestPlants has the same
	for _, p := range slices.Concat(gitPlants, gitLeads) {
		t.Run(p.name, func(t *testing.T) {
			if p.name == "a remote on this machine: its folder is replaced by a link" {
				return // only a layer keeps links out
			}
			t.Parallel()
			g := newGround(t)
			g.sh(p.before)
			before := g.stand()
			g.sh(p.command)
			g.ran()
			told := g.mend(before, false)
			if said := g.sh(p.human); g.ran() {
				t.Errorf("it ran: %s\ntold: %s", said, told)
			}
			if told == "" {
				t.Error("nothing was told")
			}
			if told := g.mend(before, false); told != "" {
				t.Errorf("told a second time: %s", told)
			}
			if told := g.mend(g.stand(), false); told != "" {
				t.Errorf("told of what stands: %s", told)
			}
		})
	}
}

// TestMendAfterKill: what stood before may be put back by another process, which knows it
// as JSON; what came in its place is beside it.
func TestMendAfterKill(t *testing.T) {
	g := newGround(t)
	g.sh("git init -q x; printf '#!/bin/sh\n\377\n' > x/.git/hooks/pre-commit; ln -s pre-commit x/.git/hooks/pre-push; git init -q s; mkdir y; echo 'gitdir: ../s/.git' > y/.git; git -C x config core.hooksPath ../h")
	kept, err := json.Marshal(g.stand())
	if err != nil {
		t.Fatal(err)
	}
	var before Standing
	if err := json.Unmarshal(kept, &before); err != nil {
		t.Fatal(err)
	}
	if told := g.mend(&before, false); told != "" {
		t.Errorf("told %q", told)
	}
	for _, text := range []string{"evil", "other"} {
		g.sh("git -C x config --unset core.hooksPath; mkdir h; echo evil > h/pre-commit; cd x/.git/hooks; rm pre-push; echo " + text + " > pre-commit")
		g.mend(&before, false)
	}
	if g.read("x/.git/hooks/pre-commit") != "#!/bin/sh\n\377\n" || g.read("h/pre-commit") != "(none)" {
		t.Errorf("%q", g.sh("ls -l x/.git/hooks h"))
	}
	if got := g.sh("cat x/.git/hooks/pre-commit.disarmed x/.git/hooks/pre-commit-2.disarmed; readlink x/.git/hooks/pre-push"); got != "evil\nother\npre-commit\n" {
		t.Errorf("%q", got)
	}
	g.sh("mv ../deed ../old; mkdir ../deed; git init -q ../deed/x")
	if told, err := g.folder().Mend(t.Context(), &before, false); !errors.Is(err, ErrOther) || len(told) > 0 {
		t.Errorf("%q, %v", told, err)
	}
}

// TestMendBesideHuman: a human goes on using git while a server runs. In what the server could
// not write nothing is undone, elsewhere no config by which git runs what it ran before.
func TestMendBesideHuman(t *testing.T) {
	g := newGround(t)
	g.sh(`git init -q --bare ../out/o; git init -q; git commit -q --allow-empty -m x; git checkout -q -b work
		printf '#!/bin/sh\ntrue\n' > .git/hooks/pre-commit; git remote add local ../out/o; git config alias.a '!a'`)
	before := g.stand()
	g.sh("git remote add origin git@example.org:x; git config branch.work.remote origin; git config branch.work.merge refs/heads/work; git checkout -q -b second")
	want := g.read(".git/config")
	if told := g.mend(before, false); told != "" || g.read(".git/config") != want {
		t.Errorf("told %q", told)
	}
	g.sh("git config branch.second.remote ../evil; echo x > .git/hooks/pre-commit; git init -q n; echo x > n/.git/hooks/pre-commit")
	if told := g.mend(before, true); !strings.HasPrefix(told, "n/.git/hooks/pre-commit: ") || strings.Contains(told, "\n") {
		t.Errorf("told %q", told)
	}
	if told := g.mend(before, false); !strings.Contains(told, ".git/config: put back") {
		t.Errorf("a branch on a folder: told %q", told)
	}
	g.sh("mv .git n/old; git init -q; echo x > .git/hooks/pre-commit")
	if told := g.mend(before, true); !strings.Contains(told, ".git/hooks/pre-commit: put back") {
		t.Errorf("another folder in its place: told %q", told)
	}
}

// TestMendOfUnknownOrigin: without anything that stood before, all that is harmless stays to the byte.
func TestMendOfUnknownOrigin(t *testing.T) {
	g := newGround(t)
	g.sh("git init -q x; git init -q y; printf '[core]\n\tbare = false' > y/.git/config; git -C x config core.fsmonitor {ran}; cp {ran} x/.git/hooks/post-checkout")
	told := g.mend(nil, false)
	if want := "x/.git/config: it counts without core.fsmonitor: only a human may set that. As it was it is config.disarmed\nx/.git/hooks/post-checkout: is now post-checkout.disarmed"; told != want || g.read("y/.git/config") != "[core]\n\tbare = false" {
		t.Errorf("told %s", told)
	}
}

// TestStandBounds: what can't be looked at whole is an error, and what is found before that
// is mended.
func TestStandBounds(t *testing.T) {
	g := newGround(t)
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := g.folder().Stand(ended); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	testenv.Slow(t)
	g.sh("git init -q x; cd x/.git/hooks; touch $(seq 11000)")
	if _, err := g.folder().Stand(t.Context()); !errors.Is(err, errCrowded) {
		t.Error(err)
	}
	told, err := g.folder().Mend(t.Context(), nil, false)
	if !errors.Is(err, errCrowded) || len(told) == 0 {
		t.Error(len(told), err)
	}
}
