package tools

import (
	"context"

	"vibey/dialog/change"
)

// Sight is which files the deed had at one moment, by their stats.
type Sight struct{ files stamps }

// See returns what the deed has now. A deed of more files than are looked through, or one
// that can't be opened, gives a Sight that differs from none.
func See(env Env) *Sight {
	deed, err := openDeed(env, false)
	if err != nil {
		return &Sight{}
	}
	defer deed.Close()
	return &Sight{survey(deed, walkLimit)}
}

// Since returns the paths in the deed of the files that differ between then and s.
func (s *Sight) Since(then *Sight) (paths []string) {
	if s.files == nil || then.files == nil {
		return nil
	}
	return differ(then.files, s.files)
}

// Hashes returns what files of the deed hold, at most listLimit of them; more counts the
// others. paths are as Since returns them, sorted.
func (s *Sight) Hashes(ctx context.Context, env Env, paths []string) (files []change.FileHash, more int) {
	deed, err := openDeed(env, false)
	if err != nil {
		return nil, len(paths)
	}
	defer deed.Close()
	return hashes(ctx, deed, s.files, paths)
}
