package helper

import (
	"os"

	"golang.org/x/sys/unix"
)

// mountOverlays mounts the layers, for this thread and what it becomes.
func (p Plan) mountOverlays() error {
	if len(p.Overlays) == 0 {
		return nil
	}
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return err
	}
	for _, o := range p.Overlays {
		if err := o.mount(); err != nil {
			return err
		}
	}
	if err := unix.Mount("none", LayersDir, "tmpfs", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV, "size=4k,mode=0"); err != nil {
		return err
	}
	return os.Chdir(p.Dir) // which may lie in what is mounted now
}

// mount mounts one layer. The folder below it is named by where this process stands, since
// a path may hold what the options of a mount are split at.
func (o Overlay) mount() error {
	if err := os.Chdir(o.At); err != nil {
		return err
	}
	return unix.Mount("overlay", o.At, "overlay", unix.MS_NOSUID|unix.MS_NODEV, "lowerdir=.,upperdir="+o.In+"/up,workdir="+o.In+"/work,userxattr,volatile")
}
