// Package vibey is the text that the program brings along: the project a new
// reader is welcomed with, and the page a new project begins with.
//
// The folder it stands in is also the root that `vibey serve` has by default, so
// that this project is its own first project: vibey/doc-main.md is its
// specification. The first-run project stands under a name that no project can
// have, .welcome: what its reader changes in a copy is not our source.
package vibey

import (
	"embed"
	"io/fs"
)

// WelcomeName is the name of the project that Welcome holds.
const WelcomeName = "welcome"

// Cassette is the recorded dialog of that project: the name of its file. Below
// a root it is the model WelcomeName + "/" + Cassette of the provider replay.
const Cassette = "dialog-20260101-000000-tour-done.md"

//go:embed .welcome
var files embed.FS

// Welcome is the first-run project: doc-main.md, deed/index.html and Cassette.
func Welcome() fs.FS {
	sub, err := fs.Sub(files, ".welcome")
	if err != nil {
		panic(err) // ".welcome" is a constant and a valid path
	}
	return sub
}
