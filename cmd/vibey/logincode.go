package main

import (
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"vibey/dialog"
)

// A login code is 80 random bits, written so that it can be read aloud and typed:
// k7qf-2m9x-wjt4-h3ra. Only its hash is on the disk, as the name of an empty file,
// which redeem removes. So a code works once, in any process: `vibey login` makes one
// for the server.
const (
	codeBytes = 10
	codeLife  = 24 * time.Hour // of the file's age; then login asks for another
	codesKept = 32             // beyond that the oldest go
)

// letters is Crockford's alphabet, without letters that look alike; misread maps those
// that a human may type instead.
var (
	letters = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)
	misread = strings.NewReplacer("o", "0", "i", "1", "l", "1", "-", "", " ", "")
)

// newCode makes a code that redeem takes once.
func (s *state) newCode(now time.Time) (string, error) {
	if _, err := s.makeFolder("codes"); err != nil {
		return "", err
	}
	s.forgetCodes(now)
	raw := letters.EncodeToString(random(codeBytes))
	name := s.path(codeFile(raw))
	if err := errors.Join(os.WriteFile(name, nil, 0o600), os.Chtimes(name, now, now)); err != nil {
		return "", fmt.Errorf("keep the login code: %w", err)
	}
	return raw[:4] + "-" + raw[4:8] + "-" + raw[8:12] + "-" + raw[12:], nil
}

// redeem uses a code up. It reports whether the code was there and is young enough.
func (s *state) redeem(code string, now time.Time) bool {
	name := codeFile(misread.Replace(strings.ToLower(strings.TrimSpace(code))))
	f, err := s.open(name) // not one that another user put there
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || s.root.Remove(name) != nil {
		return false
	}
	return now.Sub(info.ModTime()) < codeLife
}

func codeFile(plain string) string { return path.Join("codes", dialog.SHA256(plain)) }

// forgetCodes removes codes that are too old, and the oldest beyond codesKept-1, so
// that there is room for one more.
func (s *state) forgetCodes(now time.Time) {
	entries, err := os.ReadDir(s.path("codes"))
	if err != nil {
		return
	}
	var kept []fs.FileInfo
	for _, e := range entries {
		switch info, err := e.Info(); {
		case err != nil:
		case now.Sub(info.ModTime()) >= codeLife:
			os.Remove(s.path("codes", e.Name()))
		default:
			kept = append(kept, info)
		}
	}
	slices.SortFunc(kept, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, c := range kept[:max(0, len(kept)-codesKept+1)] {
		os.Remove(s.path("codes", c.Name()))
	}
}
