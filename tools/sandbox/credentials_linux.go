package sandbox

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// settings are those of etcPatterns in which people keep the passwords of
// registries and proxies, each with the variable that makes its program go on
// without it. One with such a line is not shown.
var settings = map[string]string{
	"gitconfig": "GIT_CONFIG_NOSYSTEM=1", "npmrc": "npm_config_globalconfig=/dev/null",
	"pip.conf": "PIP_CONFIG_FILE=/dev/null", "wgetrc": "SYSTEM_WGETRC=/dev/null",
	"maven": "", "gradle": "",
}

// keepsCredential reports whether a path of /etc is one of settings and has a
// password in it. What can't be read may have one.
func keepsCredential(path string) bool {
	if _, ok := settings[filepath.Base(path)]; !ok {
		return false
	}
	found := false
	filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if found = found || err != nil; found {
			return fs.SkipAll
		}
		if d.Type()&fs.ModeSymlink != 0 {
			if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
				return nil
			}
		} else if !d.Type().IsRegular() {
			return nil
		}
		f, err := os.Open(name)
		if err != nil {
			found = true
			return nil
		}
		defer f.Close()
		text, err := io.ReadAll(io.LimitReader(f, 1<<20))
		found = err != nil || len(text) == 1<<20 || credential.Match(comments.ReplaceAll(text, nil))
		return nil
	})
	return found
}

var (
	comments   = regexp.MustCompile(`(?m)^[ \t]*[#;].*$|(?s:<!--.*?-->)`)
	credential = regexp.MustCompile(`(?i)passw|_auth|token|secret|private|credential|extraheader|://[^/\s]*@`)
)
