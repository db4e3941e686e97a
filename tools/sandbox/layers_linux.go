package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"vibey/tools/layer"
	"vibey/tools/sandbox/helper"
)

const layerWords = helper.LayerWords + ": "

// layered adds to a layout what its layers need, once its folders are mounted.
func (l *layout) layered(s Spec) {
	if l.layer == "" {
		return
	}
	l.below = []string{l.folders.deed}
	if s.Tried && l.folders.home != "" {
		l.below = append(l.below, l.folders.home)
	}
	if l.layer == layer.Copy {
		l.waits = false // a copy is of the moment
		return
	}
	for _, cap := range helper.LayerCaps {
		l.args = append(l.args, "--cap-add", cap)
	}
	for i := range l.below {
		l.args = append(l.args, "--dir", layerAt(i))
	}
}

// layerAt is where, within the walls, the first process finds the layer of that number.
func layerAt(i int) string { return filepath.Join(helper.LayersDir, strconv.Itoa(i)) }

// overlays are what the first process mounts.
func (l *layout) overlays() (all []helper.Overlay) {
	if l.layer != layer.Overlay {
		return nil
	}
	for i, below := range l.below {
		all = append(all, helper.Overlay{At: below, In: layerAt(i)})
	}
	return all
}

// addLayer makes a job's layer of that number, and adds its mount.
func (b *bubble) addLayer(j *job, args []string, i int, below string, by layer.By) ([]string, error) {
	l, err := j.layer(b.config, below, by)
	if i > 0 && errors.Is(err, layer.ErrTooLarge) {
		return args, nil // a HOME that is too large to be copied can't be written
	}
	if err != nil {
		return nil, err
	}
	from, at := l.Dir, layerAt(i)
	if by == layer.Copy {
		from, at = l.Up(), below
	}
	return append(slices.Clone(args), "--bind", from, at), nil
}

// shows reports whether each command sees a path of this machine.
func (b *bubble) shows(path string) bool { return b.views.with("").shows(path) }

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
