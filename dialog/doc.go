// Package dialog is the text that everything else is a function of: one
// agent's dialog as a markdown file, read, written, decided on and turned into
// the history that a provider is sent. It touches no clock, file or network;
// times, ids and keys come in as arguments.
//
// A file is a header and sections. A section has metadata lines and payloads
// between fences of three schwas:
//
//	# Dialog
//	> DialogId: 20260216-201100-read-vibey
//	> Provider: openai
//	> Model: gpt-5
//	> Status: waiting
//	> Started: 2026-02-16T20:11:00Z
//
//	## User
//	> Id: msg_20260216_201100_u1
//	> Time: 2026-02-16T20:11:00Z - 2026-02-16T20:11:00Z
//	> Resources: in=0 out=0 total=0 tools=0 ms=0
//
//	əəəinput/markdown
//	Please read vibey.md and summarize it.
//	əəə
//
// A payload's line that begins with a fence is written with one more ə in
// front, so that no payload can open a section, close itself or grant anything.
// The file only ever grows, section by section; the header's status word alone
// is written over, always in seven bytes.
package dialog
