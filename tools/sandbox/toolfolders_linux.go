package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// managers are the folders, below a home, in which people's tool managers keep
// whole installations; a PATH that leads into one needs all of it.
var managers = []string{
	".pyenv", ".nvm", ".rbenv", ".asdf", ".volta", ".rustup", ".sdkman", ".bun", ".deno", ".fnm", ".nodenv", ".goenv", "sdk", "go",
	".local/share/mise", ".local/share/fnm", ".local/share/uv", ".local/share/pnpm", ".local/share/rtx", ".local/pipx", ".local/lib",
}

// toolFolders returns the folders of a PATH that lie in emptied ones, with what
// their programs need beside them, so that a person's own node or python goes on
// working. Nothing in them can be changed.
func toolFolders(path string, sealed []string) (dirs []string) {
	home, _ := os.UserHomeDir()
	for _, dir := range filepath.SplitList(path) {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || !filepath.IsAbs(dir) || !slices.ContainsFunc(sealed, func(s string) bool { return real != s && within(real, s) }) {
			continue
		}
		dirs = append(dirs, real)
		for _, m := range managers {
			if m := filepath.Join(home, m); home != "" && within(real, m) {
				dirs = append(dirs, m)
			}
		}
		if real == filepath.Join(home, ".cargo/bin") { // they are links to rustup, which asks for this
			dirs = append(dirs, filepath.Join(home, ".rustup"))
		}
	}
	dirs = slices.DeleteFunc(dirs, func(d string) bool { _, err := os.Stat(d); return err != nil || d == home })
	return outermost(dirs)
}
