// Package client holds the built browser client. The server hands it out; it
// knows nothing of it but the files:
//
//	index.html                    the shell; the server puts its CSP nonce for __NONCE__
//	vibey-client.js               the module entry
//	assets/<name>-<hash>.js|css   chunks and styles, immutable under their names
//	*.gz                          a larger one of these in gzip, instead of as it is
//
// `npm run build` in client/ writes them to dist/. Unbuilt, only dist/README is there.
package client

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// HiddenCharacters is the window's table of characters that show nothing, as
// JSON. The command line draws the same ones.
//
//go:embed src/text/hidden.json
var HiddenCharacters []byte

// SandboxWords says what stands around a command at each sandbox level, as JSON,
// in the words with which the window asks. The command line asks with the same.
//
//go:embed src/text/walls.json
var SandboxWords []byte

// FS is the built client with index.html at its root. Unbuilt, it holds README alone.
func FS() fs.FS {
	sub, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // "dist" is a constant and a valid path
	}
	return sub
}
