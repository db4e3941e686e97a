package crash

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vibey/provider/providertest"
)

var (
	kills     = flag.Int("kills", 30, "how often TestKilled kills the program, for each maker of layers")
	oneKilled = flag.Int("killed", -1, "play this one of TestKilled's dialogs alone")
)

// TestKilled kills the program itself at random moments while commands run in a layer,
// while what they changed waits for a human, and while that is put into the deed. Behind
// each kill it starts again and goes on, and in the end nothing is half, nothing is twice,
// nothing is lost and nothing is left over.
func TestKilled(t *testing.T) {
	if *vibey == "" {
		return
	}
	for _, by := range []string{"overlay", "copy"} {
		t.Run(by, func(t *testing.T) {
			begin, hit, killed := time.Now(), map[string]int{}, 0
			places := []*place{killPlace(t, by, os.TempDir()), killPlace(t, by, "/dev/shm")}
			for i := 0; killed < *kills && !t.Failed(); i++ {
				k := &killing{p: places[i%2], random: rand.New(rand.NewPCG(*seed, uint64(i))), project: fmt.Sprint("k", i), hit: hit}
				if *oneKilled >= 0 && *oneKilled != i {
					killed++
					continue
				}
				t.Run(fmt.Sprint(i), k.run)
				killed += k.kills
			}
			t.Logf("%s: %d kills in %.1f s; they struck: %s", by, killed, time.Since(begin).Seconds(), figuresOf(hit))
		})
	}
}

func figuresOf(n map[string]int) string {
	var all []string
	for _, what := range slices.Sorted(maps.Keys(n)) {
		all = append(all, fmt.Sprint(what, " ", n[what]))
	}
	return strings.Join(all, ", ")
}

// killPlace is a place with that maker of layers. The layers lie in the state dir, on a
// disk; the projects below a folder of disk, on the same one or in memory.
func killPlace(t *testing.T, by, disk string) *place {
	newDir := func(in string) string {
		dir, err := os.MkdirTemp(in, "vibey-killed-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		return dir
	}
	p := &place{base: newDir(os.TempDir()), dir: filepath.Join(newDir(disk), "root"), mock: providertest.New(providertest.Script{}), args: []string{"--layers", by}}
	p.state = filepath.Join(p.base, "state")
	p.begin(t)
	return p
}

// killing is one dialog, and the kills in it.
type killing struct {
	t       *testing.T
	random  *rand.Rand
	p       *place
	h       *host
	project string
	id      string // the dialog's
	mode    string // its first control
	works   []work
	kills   int
	hit     map[string]int

	shown   map[string]string // by call: the hash of the effect that a client was sent
	allowed map[string]bool   // whose approval was acknowledged
	denied  map[string]bool   // whose denial was
	skipped bool              // the human went on, which denies what is approved and did not run
}

// modes are how commands come to run, in the words of what is decided first; "ask" decides
// on each of them.
var modes = []string{"try run_command", "try run_command", "try run_command\nallow run_command deed/", "allow run_command", "ask"}

func (k *killing) run(t *testing.T) {
	k.t, k.mode = t, modes[k.random.IntN(len(modes))]
	k.shown, k.allowed, k.denied = map[string]string{}, map[string]bool{}, map[string]bool{}
	k.h = serve(t, k.p)
	k.begin()
	for again := true; again; again = k.kills < 3 && k.random.IntN(3) == 0 {
		k.playUntilKilled()
		where := k.where()
		k.hit[where]++
		k.kills++
		t.Logf("%s; %v; struck %s", strings.ReplaceAll(k.mode, "\n", ", "), k.names(), where)
		k.h = serve(t, k.p)
		k.stands()
	}
	for n := 0; k.act(); n++ {
		if n > 40 {
			t.Fatalf("it does not come to an end:\n%s", k.text())
		}
	}
	k.holds()
	k.nothingLeft()
	k.h.stop(t)
	k.noProcesses(0)
	if t.Failed() {
		t.Logf("%s", k.text())
	}
	os.RemoveAll(filepath.Join(k.p.dir, k.project))
}

// begin makes the project, what stands in its deed, and what the model will say.
func (k *killing) begin() {
	s := &session{t: k.t, h: k.h}
	s.ask("POST", "/projects", body{"name": k.project})
	k.works = pick(k.random)
	var script providertest.Script
	for i := 0; i < len(k.works); {
		n := min(1+k.random.IntN(2), len(k.works)-i)
		reply := providertest.Reply{Text: "I do it."}
		for _, w := range k.works[i : i+n] {
			reply.Calls = append(reply.Calls, w.call())
		}
		script.Replies, i = append(script.Replies, reply), i+n
	}
	for range 12 { // more than are needed: one that a kill cut off counts as well
		script.Replies = append(script.Replies, providertest.Reply{Text: "Done."})
	}
	k.p.mock.Play(script)
	inShell(k.t, seeded, k.dir(), k.dir())
}

func (k *killing) dir() string { return filepath.Join(k.p.dir, k.project) }

func (k *killing) names() (all []string) {
	for _, w := range k.works {
		all = append(all, w.id)
	}
	return all
}
