package main

import (
	"errors"
	"io/fs"
	"os"
	"runtime/debug"
	"strconv"

	"vibey/server/turn"
)

// words returns the text of an error for a human.
func words(err error) string {
	if r, ok := errors.AsType[*turn.Refusal](err); ok {
		return r.Message
	}
	return err.Error()
}

// counted returns n with the noun that goes with it: 1 call, 2 calls.
func counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + many
}

// isTerminal reports whether a stream is a terminal: a character device, and not
// /dev/null.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&fs.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// version is the program's: the module's, or the commit it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return s.Value[:12]
		}
	}
	return "devel"
}
