// Package dialog is the text that everything else is a function of: one
// agent's dialog as a markdown file, read and written. It owns the format. It
// touches no clock, file or network; times and ids come in as arguments.
//
// A file is a header and sections. A section is a heading that names a role,
// metadata lines, and payloads between fences of three schwas (ə, U+0259):
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
//	> By: human
//
//	əəəinput/markdown
//	Please read vibey.md and summarize it.
//	əəə
//
//	## Assistant
//	> Id: msg_20260216_201101_a1
//	> Time: 2026-02-16T20:11:01Z - 2026-02-16T20:11:02Z
//	> Resources: in=123 out=45 total=168 tools=1 ms=1200
//	> Resources cumulative: in=123 out=45 total=168 tools=0 ms=1200
//	> Stop: tool_use
//
//	əəəoutput/markdown
//	I read it first. (A fence is a line such as this one:
//	əəəə
//	which has one ə more in here than it says.)
//	əəə
//
//	## Tool Request
//	> Id: toolu_abc123
//	> Time: 2026-02-16T20:11:02Z - 2026-02-16T20:11:02Z
//	> Resources: in=0 out=0 total=0 tools=0 ms=0
//	> Parent: msg_20260216_201101_a1
//	> Tool: run_command
//	> Status: pending
//
//	əəətool/input/json
//	{"command":"cat vibey.md"}
//	əəə
//
//	## Authorization
//	> Id: auth_20260216_201103_1
//	> Time: 2026-02-16T20:11:03Z - 2026-02-16T20:11:03Z
//	> Resources: in=0 out=0 total=0 tools=0 ms=0
//	> Scope: dialog
//	> Mac: 5d0b5a4b3e43b7eb26a1fe7e5f5d6aa9c1ac2ed2cb5d1b1f0e26f5e7a3c0a111
//
//	əəəcontrol/v1
//	toolu_abc123 approve sha256:54028fa520987a429cad860793e9b116534f88852b939bad2812e4d94e7898f1 run_command
//	əəə
//
//	## Note
//	> Id: note_20260216_201103_1
//	> Time: 2026-02-16T20:11:03Z - 2026-02-16T20:11:03Z
//	> Resources: in=0 out=0 total=0 tools=0 ms=0
//	> Kind: started
//	> Parent: toolu_abc123
//
//	əəənote/markdown
//	run_command began to run.
//	əəə
//
//	## Tool Result
//	> Id: toolu_abc123
//	> Time: 2026-02-16T20:11:03Z - 2026-02-16T20:11:04Z
//	> Resources: in=0 out=0 total=0 tools=1 ms=812
//	> Parent: msg_20260216_201101_a1
//	> Tool: run_command
//	> Status: approved
//
//	əəətool/result/json
//	{"success":true,"exitCode":0,"stdout":"# Vibey\n","stderr":""}
//	əəə
//
// # Writing
//
// The file only ever grows, by whole sections (Dialog.Encode). The header's
// status word alone is written over, always in seven bytes (StatusOffset). A
// payload's line that begins with a fence is written with one more ə in front
// (Escape), so that no payload can open a section, close itself or grant
// anything. A file has no NUL (WithoutNUL). What is canonical comes back:
// Format(Parse(x)) == x.
//
// # Reading
//
// Parse takes any text. A section without metadata or fences is read leniently;
// what is not understood stands in Dialog.Problems with its line. A section that
// a crash cut off is Torn: it is shown, and counts for nothing, before its
// repair (RepairTail) and after. So is one with a NUL in it, which a power cut
// leaves where a page was lost, and all that follows up to the next heading that
// is sure to be one; what stands so behind a section that was whole is a Hole.
// In a section with metadata, no payload counts behind text that stands outside
// of the fences. A fence that closes nothing is what is left of a payload whose
// other fence is damaged: all that stands outside of fences since the payload
// before is a Hole then, for its headings may have been that payload's lines.
//
// A parsed dialog is extended section by section (Dialog.Append)
// at a price that does not depend on its length, and is then equal to a fresh
// parse.
//
// # Where to begin
//
// Parse, Dialog, Section, Role, Payload and Header are the value of a file; Dialog.Forward
// and Dialog.Backward walk over its sections, Dialog.Append and Dialog.Encode extend it,
// Format writes it, RepairTail says what a damaged file needs; Filename names it. What follows from a dialog stands in rooms of its own: dialog/grant
// (which calls may run), dialog/history (what a provider is sent), dialog/change (which
// files its calls changed), dialog/governor (when a turn must stop).
package dialog
