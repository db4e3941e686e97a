package tools

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// openDeed opens the deed's folder, which must be the one that DeedDir of
// server/project returned: it does not follow a deed that has become a link since.
// With create a missing deed is made.
func openDeed(env Env, create bool) (*os.Root, error) {
	if env.DeedDir == "" || env.DeedDir == filepath.Join(env.ProjectDir, "deed") {
		deed, err := openChild(env.Project, "deed", create)
		if _, linked := errors.AsType[*linkError](err); linked {
			return nil, refuse("PATH_OUTSIDE_PROJECT: deed/ has become a link since the project was opened, and is not followed. A human must look at it.")
		}
		return deed, err
	}
	project, err := filepath.EvalSymlinks(env.ProjectDir)
	if err != nil {
		return nil, err
	}
	if env.DeedDir == project || strings.HasPrefix(project, strings.TrimSuffix(env.DeedDir, "/")+"/") {
		return nil, refuse("deed/ leads to a folder that holds this project itself: writing below it could reach dialogs. A human must link deed to another folder.")
	}
	deed, err := os.OpenRoot(env.DeedDir)
	if err != nil {
		return nil, err
	}
	now, err := filepath.EvalSymlinks(env.DeedDir)
	if err == nil && now == env.DeedDir && sameDir(deed, os.Lstat, env.DeedDir) {
		return deed, nil
	}
	deed.Close()
	return nil, refuse("PATH_OUTSIDE_PROJECT: the folder of deed/ has become a link since the project was opened, and is not followed. A human must look at it.")
}

// deedDir is the folder that commands may write.
func deedDir(env Env) string {
	if env.DeedDir != "" {
		return env.DeedDir
	}
	return filepath.Join(env.ProjectDir, "deed")
}

// sameDir reports whether root is the folder that lstat finds under that name.
func sameDir(root *os.Root, lstat func(string) (fs.FileInfo, error), name string) bool {
	seen, err := lstat(name)
	if err != nil || !seen.IsDir() {
		return false
	}
	held, err := root.Stat(".")
	return err == nil && os.SameFile(seen, held)
}
