package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"vibey/tools/git"
	"vibey/tools/layer"
	"vibey/tools/sandbox/helper"
)

// layers is how commands of a Runner come to write to a layer instead of to their deed.
type layers struct {
	by  layer.By // "" for none; known once the Runner is probed
	err error    // why the last maker that was tried is not taken

	mu      sync.Mutex
	refused map[string]noLayer // of deeds

	dropping sync.RWMutex // read-locked while a layer is removed

	most    int            // how many cleared layers wait
	cleared []*layer.Layer // that serve for the next command of their deed; the oldest first
}

// noLayer is why a deed could not have a layer; it may have one later.
type noLayer struct {
	why string
	at  time.Time
}

// refusalLife is how long a deed is not tried again.
const refusalLife = time.Minute

// LayersBy returns the maker of layers, "" where commands write to the deed itself.
func (r *Runner) LayersBy() layer.By {
	r.waitProbed()
	return r.layers.by
}

// NoLayer says why a command of that deed, free of links, can't have a layer, within a
// sentence; "" where it can. It does not look at all that lies there: a command finds files
// of other owners there as it would files that it may not write.
func (r *Runner) NoLayer(deed string) (why string) {
	switch {
	case r.LayersBy() == "":
		return "on this machine what a command writes can't be kept apart from deed/"
	case deed == "":
		return "there is no deed"
	case !ownFolder(deed):
		return "deed/ belongs to another user, or another group, of this machine"
	case r.layers.by == layer.Overlay && mountedBelow(deed):
		return "another disk is mounted below deed/"
	}
	r.layers.mu.Lock()
	defer r.layers.mu.Unlock()
	if no := r.layers.refused[deed]; time.Since(no.at) < refusalLife {
		return no.why
	}
	return ""
}

// mountedBelow reports whether something is mounted below a folder: the kernel's overlay
// does not see it.
func mountedBelow(dir string) bool {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(mounts)) {
		if f := strings.Fields(line); len(f) > 4 && strings.HasPrefix(mountName.Replace(f[4]), dir+"/") {
			return true
		}
	}
	return false
}

// mountName reads what the kernel escapes in the names of mounts.
var mountName = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

// ownFolder reports whether a folder is this user's and this group's.
func ownFolder(dir string) bool {
	var st unix.Stat_t
	return unix.Stat(dir, &st) == nil && int(st.Uid) == os.Geteuid() && int(st.Gid) == os.Getegid()
}

// Human is where git looks for the settings of the human.
func (r *Runner) Human() git.Human { return git.HumanOf(r.config.home(), r.config.getenv) }

// Shows reports whether each command behind walls sees a path of this machine, such as that
// of a program.
func (r *Runner) Shows(path string) bool {
	r.waitProbed()
	b, ok := r.walls.(interface{ shows(path string) bool })
	return ok && b.shows(path)
}

// NoLayerError is why a deed can't have a layer, within a sentence. Nothing ran.
type NoLayerError struct {
	Why string
	Err error // nil for what is found before it is tried
}

func (e *NoLayerError) Error() string { return e.Why }
func (e *NoLayerError) Unwrap() error { return e.Err }

// refuse returns the error of walls that could not be built, as a *NoLayerError where that was
// for the layer. It is taken down for a while.
func (l *layers) refuse(s Spec, err error) error {
	no, is := errors.AsType[*NoLayerError](err)
	if broke, did := errors.AsType[*wallsError](err); did {
		if _, said, ok := strings.Cut(broke.said, helper.LayerWords+": "); ok {
			no, is = &NoLayerError{"its disk can't have a layer (" + strings.TrimSpace(said) + ")", broke}, true
		}
	}
	if !is {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refused == nil {
		l.refused = map[string]noLayer{}
	}
	l.refused[s.Deed] = noLayer{no.Why, time.Now()}
	return no
}

// drop removes layers in the background, or clears them for others, nil ones not: nobody
// waits for that but End.
func (l *layers) drop(c Config, all ...*layer.Layer) {
	for _, one := range all {
		if one == nil {
			continue
		}
		l.dropping.RLock()
		go c.Guard("removing a layer", func() error {
			defer l.dropping.RUnlock()
			if one.Clear() {
				one = l.keep(one)
			}
			if one == nil {
				return nil
			}
			return one.Drop()
		})
	}
}

// keep has a cleared layer wait for a command. It returns the oldest that waits if they are
// too many, else nil.
func (l *layers) keep(one *layer.Layer) (out *layer.Layer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cleared = append(l.cleared, one); len(l.cleared) > l.most {
		out, l.cleared = l.cleared[0], slices.Delete(l.cleared, 0, 1)
	}
	return out
}

// again returns a layer in the folder of one that was cleared, nil where there is none. It
// is of the same deed: what a server of that still holds of it can reach no other project.
func (l *layers) again(below string) *layer.Layer {
	one := l.takeCleared(below)
	if one == nil {
		return nil
	}
	next, err := one.Again()
	if err != nil {
		one.Drop()
		return nil
	}
	return next
}

// takeCleared takes off the list the oldest cleared layer of a deed, or returns nil.
func (l *layers) takeCleared(below string) *layer.Layer {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.cleared, func(one *layer.Layer) bool { return one.Deed == below })
	if i < 0 {
		return nil
	}
	one := l.cleared[i]
	l.cleared = slices.Delete(l.cleared, i, i+1)
	return one
}

// end waits for what is being removed, and removes what waits for a command.
func (l *layers) end() {
	l.dropping.Lock()
	defer l.dropping.Unlock()
	for _, one := range l.cleared {
		one.Drop()
	}
	l.cleared = nil
}

// Drop removes what is left of layers that an Outcome had, in the background.
func (r *Runner) Drop(all ...*layer.Layer) { r.layers.drop(r.config, all...) }

// takeLayers returns the layers of the deed and of HOME, nil where there is none: they are
// the caller's now.
func (j *job) takeLayers() (deed, home *layer.Layer) {
	if len(j.layers) > 0 {
		deed = j.layers[0]
	}
	if len(j.layers) > 1 {
		home = j.layers[1]
	}
	j.layers = nil
	return deed, home
}

// OverLayer is Outcome.Exceeded of a command that wrote more than its layer takes.
const OverLayer = "layer"

// overfull is OverLayer where one of the layers holds more than it may.
func overfull(all []*layer.Layer) string {
	if slices.ContainsFunc(all, func(l *layer.Layer) bool { return l.Over() != nil }) {
		return OverLayer
	}
	return ""
}

// tryLayers finds the first maker that this machine can do: a command writes through it.
func (r *Runner) tryLayers() (found bool) {
	for _, by := range r.config.Layers {
		r.layers.by = by
		if r.layers.err = r.tryLayer(); r.layers.err == nil {
			return true
		}
	}
	r.layers.by = ""
	return false
}

// LayersErr is why the maker of layers that was tried last is not taken; nil where it is.
func (r *Runner) LayersErr() error {
	r.waitProbed()
	return r.layers.err
}

func (r *Runner) tryLayer() error {
	dir, err := os.MkdirTemp(r.config.scratch, "deed-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	deed := filepath.Join(dir, "deed")
	if err := os.Mkdir(deed, 0o700); err != nil {
		return err
	}
	o := r.within(context.Background(), Spec{Command: "echo ready >deed/tried && cat deed/tried", Dir: dir, Deed: deed, Layer: true}, probeLimit, func() {})
	if o.Layer != nil {
		defer o.Layer.Drop()
	}
	if o.Err != nil {
		return o.Err
	}
	if left, _ := os.ReadDir(deed); string(o.Stdout.Text) != "ready\n" || len(left) > 0 {
		return fmt.Errorf("exit code %d, %s", o.ExitCode, o.Stderr.Text)
	}
	return nil
}
