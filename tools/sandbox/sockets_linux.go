package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vibey/tools/disk/tree"
)

// sockets returns the sockets of this machine's programs that lie in what a
// command is shown. A read-only mount does not keep a program from connecting to
// one, and Landlock does only from version 9 on, so each is covered. A socket
// that is made later, or was in another network namespace, is not known.
func sockets(shown []string) (paths []string) {
	table, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return nil
	}
	real := map[string]string{} // folders, as the table has them and free of links
	for name := range socketNames(string(table)) {
		for _, path := range absolutes(name, shown) {
			dir := filepath.Dir(path)
			if _, known := real[dir]; !known {
				real[dir], _, _, _ = tree.Follow(dir)
			}
			path = filepath.Join(real[dir], filepath.Base(path))
			if real[dir] == "" || !withinAny(path, shown) {
				continue
			}
			if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSocket != 0 {
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// socketNames returns the names in /proc/net/unix that are paths, each once.
func socketNames(table string) map[string]bool {
	names := map[string]bool{}
	for line := range strings.Lines(table) {
		// "Num RefCount Protocol Flags Type St Inode Path", and a path may hold blanks.
		rest := strings.TrimSuffix(line, "\n")
		for range 7 {
			_, rest, _ = strings.Cut(strings.TrimLeft(rest, " "), " ")
		}
		if rest != "" && rest[0] != '@' && rest != "Path" {
			names[rest] = true
		}
	}
	return names
}

// absolutes returns what a socket's name may mean. It is as its program gave it,
// and a relative one does not tell from where: a server that was started in the
// deed has such a name.
func absolutes(name string, shown []string) (paths []string) {
	if filepath.IsAbs(name) {
		return []string{filepath.Clean(name)}
	}
	for _, dir := range shown {
		paths = append(paths, filepath.Join(dir, name))
	}
	return paths
}
