// Package codebase says in a few lines what a deed holds, so that an agent finds its
// common files without a search:
//
//	[CODEBASE — deed/]
//	Read this first: …
//	Framework: Next.js 16.2.0 (App Router), React 19.2.0, TypeScript
//	Package manager: npm (deed/package-lock.json)
//	Entry points:
//	- deed/src/app/page.tsx (home page)
//
// A summary is a function of the names in the deed and of its manifests (package.json,
// go.mod, …). It has at most Most bytes. What it takes from the deed is names, versions
// and nothing else: the deed is material, and no text of it reaches the system text.
//
// The words of this package: a manifest says what a part of the deed is made with; a
// part is the folder of one, with what lies below it; an entry point is a file at which
// reading begins.
// Source: vibey/vibey/doc-reference.md, "A turn".
package codebase

// Most is how many bytes a summary has at most.
const Most = 1500

const (
	title = "[CODEBASE — deed/]\n"
	first = "Read this first: you should not need list_files or search_files to find common files. " +
		"Look around only in folders that are not listed here."
	bare = "Paths are relative to the project: those of the deed begin with `deed/`." // no file serves as an example
)

// Empty is the summary of a deed without files.
const Empty = title + "Empty; ready for a first file."

// Unreadable is the summary of a deed that can't be opened.
const Unreadable = title + "It can't be read at this time. " + bare
