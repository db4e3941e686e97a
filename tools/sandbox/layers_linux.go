package sandbox

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"vibey/tools/disk"
	"vibey/tools/layer"
	"vibey/tools/sandbox/helper"
)

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
	l, err := b.layer(j, below, by)
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

// layer makes a layer for a job, which drops it unless it is taken.
func (b *bubble) layer(j *job, below string, by layer.By) (l *layer.Layer, err error) {
	if l = b.layers.again(below); l == nil {
		l, err = layer.Make(filepath.Join(cmp.Or(b.config.scratch, os.TempDir()), "layer-"+newMark().tag()), below, by)
	}
	if err != nil {
		return nil, &NoLayerError{disk.Words(err), err}
	}
	if j.layers = append(j.layers, l); len(j.layers) == 1 {
		j.cleanup(func() string { b.layers.drop(b.config, j.layers...); return "" })
	}
	return l, nil
}

// shows reports whether each command sees a path of this machine.
func (b *bubble) shows(path string) bool { return b.views.with("").shows(path) }
