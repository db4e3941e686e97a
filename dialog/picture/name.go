// Package picture decides about the files that a human pasted or dropped into a doc or a
// message: what one is by its bytes, what it is called in the project's folder files/, which
// of them a message shows, and what of one a model is sent.
//
//	picture.Kind(b)                            // "image/png", "" for none of the kinds
//	picture.PlainName("../Küche.png")          // "Küche.png"
//	picture.Links("See ![it](files/3f2a….png)") // ["files/3f2a….png"]
//	picture.Fit(b)                             // b itself, or what is sent in its place
//
// Begin with Kind, PlainName, FileName and ValidName for a file; Links, Use and Fit for what
// a message shows. It touches nothing: bytes come in, names and bytes go out.
package picture

import (
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Folder is the folder of a project that holds such files, as links name it.
const Folder = "files"

const (
	hashLen = 16  // digits of a file's SHA-256 before its name
	nameMax = 100 // bytes of the name behind them
	extMax  = 16  // bytes of an extension that a cut spares
)

// PlainName returns a name as a file in files/ may have it, "" if nothing of it is left.
// Letters of any script stay. Separators, and characters that some disk can't keep, become
// hyphens; control characters and those that turn the direction of a text are left out, as
// are dots, hyphens and blanks at either end. A name over 100 bytes is cut at a character's
// boundary, before its extension. A name of which the extension alone is left becomes "file"
// with that.
func PlainName(name string) string {
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	if strings.Trim(stem, edge) != "" && strings.Trim(plained(stem), edge) == "" && len(plained(ext)) > 1 {
		name = "file" + ext
	}
	return Numbered(strings.Trim(plained(name), edge), 1)
}

func plained(name string) string { return strings.Map(plain, strings.ToValidUTF8(name, "")) }

// Numbered returns a plain name with a number before its extension, the name itself for 1.
func Numbered(name string, n int) string {
	suffix := ""
	if n > 1 {
		suffix = "-" + strconv.Itoa(n)
	}
	ext := path.Ext(name)
	if len(ext) > extMax {
		ext = ""
	}
	stem := strings.TrimSuffix(name, ext)
	if most := nameMax - len(suffix) - len(ext); len(stem) > most {
		stem = stem[:most]
		for !utf8.ValidString(stem) {
			stem = stem[:len(stem)-1]
		}
		stem = strings.TrimRight(stem, edge)
	}
	return stem + suffix + ext
}

// Alike reports whether a plain name is another one, but for its extension and a number
// before that.
func Alike(name, plain string) bool {
	name, plain = strings.TrimSuffix(name, path.Ext(name)), strings.TrimSuffix(plain, path.Ext(plain))
	stem := strings.TrimRight(name, "0123456789")
	return name == plain || len(stem) < len(name) && strings.HasSuffix(stem, "-") && strings.HasPrefix(plain, strings.TrimSuffix(stem, "-"))
}

// edge are characters that a name neither begins nor ends with: a dot hides a file, or is
// dropped by some disks, as a blank is.
const edge = ". -"

// plain returns what a character of a name becomes, -1 for nothing.
func plain(r rune) rune {
	switch {
	case strings.ContainsRune(`/\:*?"<>|`, r):
		return '-'
	case r == '\u200c' || r == '\u200d': // letters of some scripts join by them
		return r
	case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp), r == utf8.RuneError:
		return -1
	case unicode.IsSpace(r):
		return ' '
	}
	return r
}

// FileName returns the name in files/ of a file with that SHA-256, in hex, whose plain name
// is given.
func FileName(sha, plainName string) string { return sha[:hashLen] + "-" + plainName }

// ValidName reports whether FileName could have returned name: no other file in files/ is
// ever read.
func ValidName(name string) bool {
	hash, rest, ok := strings.Cut(name, "-")
	return ok && len(hash) == hashLen && strings.Trim(hash, "0123456789abcdef") == "" && rest != "" && PlainName(rest) == rest
}

// NameOf returns the plain name in a valid one.
func NameOf(name string) string { return name[hashLen+1:] }

// Fits reports whether a file with that SHA-256 may have the name.
func Fits(name, sha string) bool { return ValidName(name) && strings.HasPrefix(sha, name[:hashLen]) }
