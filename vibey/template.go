package vibey

import "strings"

// Template is the doc-main.md of a new project with that heading, in markdown. It explains
// itself to its writer, and an agent that finds it unchanged knows to ask first.
func Template(heading string) string { return strings.Replace(template, "NAME", heading, 1) }

const template = `# NAME

*This page leads: every agent reads it, whole, before it starts. Write over it freely, in plain words. Then open Dialogs, start one, and say "please start".*

## What should exist

Nothing is described here yet. Until it is, ask me what I want before you make anything.

(For example: "A tic-tac-toe for two players that runs in the browser, big and colourful, for my niece.")

## How to work

- What you make goes into the folder ` + "`deed/`" + `. Longer descriptions go into pages beside this one, called ` + "`doc-something.md`" + `, with a link from here.
- Ask me about matters of taste, and before anything that can't be undone. Decide the rest yourself, and tell me.
- Work alone. Start a second agent only where this page says so.
- When you are done, say what you changed and how you know that it works.

## Rules that are enforced

Each line below is a rule that Vibey holds agents to. A # switches a line off; these are off, and the words above them say what they would do.

əəəproject/v1
# tools to read files without asking, and to keep a plan in doc-plan.md
# tools read plan
# look first, say what you found and propose, and only then change something
# phases on
# this command must succeed before a change counts as done
# verify npm test
# the most steps of work for one larger request
# budget feature_build 40
əəə

## Other pages

None yet.
`
