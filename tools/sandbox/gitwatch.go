package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
)

// watchGit is for walls that can't keep a part of a folder from a command that
// may write the rest: hooks and config are put back when it has ended. All is
// done within the deed, wherever the command made its folders lead.
func watchGit(deed string, j *job) {
	root, err := os.OpenRoot(deed)
	if err != nil {
		return // the helper tells it when it can't enter either
	}
	before := gitPrograms(root)
	j.defer_(func() string {
		defer root.Close()
		changed := false
		for name := range gitPrograms(root) {
			if _, was := before[name]; !was {
				changed = root.RemoveAll(filepath.Join(".git", name)) == nil || changed
			}
		}
		after := gitPrograms(root)
		for name, p := range before {
			if after[name] != p {
				changed = p.restore(root, filepath.Join(".git", name)) || changed
			}
		}
		if !changed {
			return ""
		}
		if _, err := root.Lstat(".git/HEAD"); err == nil && before["config"] == (gitProgram{}) {
			gitProgram{mode: 0o644, text: plainConfig}.restore(root, ".git/config")
		}
		return "What this command wrote to the hooks or the config of deed/.git was undone: only a human changes these."
	})
}

// gitProgram is a file that git would execute or obey.
type gitProgram struct {
	mode fs.FileMode
	text string
}

func (p gitProgram) restore(root *os.Root, name string) bool {
	if !p.mode.IsRegular() {
		return false
	}
	root.RemoveAll(name)
	root.MkdirAll(filepath.Dir(name), 0o755)
	return root.WriteFile(name, []byte(p.text), p.mode.Perm()) == nil
}

// gitPrograms reads these files of the deed, by their path in .git. One that is
// a link, or a folder of them that is one, reads as something else than before.
func gitPrograms(root *os.Root) map[string]gitProgram {
	found := map[string]gitProgram{}
	names := []string{"config", "config.worktree", "commondir"}
	if info, err := root.Lstat(".git/hooks"); err == nil && !info.IsDir() {
		names = append(names, "hooks")
	} else if hooks, err := root.Open(".git/hooks"); err == nil {
		list, _ := hooks.Readdirnames(-1)
		hooks.Close()
		for _, name := range list {
			names = append(names, filepath.Join("hooks", name))
		}
	}
	for _, name := range names {
		path := filepath.Join(".git", name)
		info, err := root.Lstat(path)
		if err != nil {
			continue
		}
		p := gitProgram{mode: info.Mode()}
		if info.Mode().IsRegular() {
			text, _ := root.ReadFile(path)
			p.text = string(text)
		}
		found[name] = p
	}
	return found
}
