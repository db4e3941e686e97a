package main

import (
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	shellWord  = regexp.MustCompile(`"[^"]*"|'[^']*'|[^\s'"]+`)
	flagText   = regexp.MustCompile(`--(agent|mcp) '([^']+)'`)
	listInline = regexp.MustCompile(`args = [\[{]([^\]}]*)[\]}]`) // of TOML, or of Lua
)

// ofAnAccount are programs with which a human signs in.
var ofAnAccount = []string{"@anthropic-ai/claude-code", "@openai/codex", "@google/gemini-cli"}

// What the page "Use your own agent" tells to type is taken: each command line of vibey,
// also where it stands in another program's settings, and each definition of an agent or
// a server. The packages that it installs are those that `just peers` runs, but for the
// agents' own programs that need an account.
func TestOwnAgentPage(t *testing.T) {
	page, just := topFile(t, "vibey/vibey/doc-own-agent.md"), topFile(t, "justfile")
	var commands [][]string
	for _, block := range indented(page) {
		if strings.HasPrefix(block, "{") {
			var settings any
			if err := json.Unmarshal([]byte(block), &settings); err != nil {
				t.Errorf("%v in\n%s", err, block)
			}
			commands = append(commands, started(settings)...)
			continue
		}
		for line := range strings.Lines(block) {
			words := shellWords(line)
			behind := slices.Index(words, "--") + 1 // 0 where none stands there
			switch {
			case listInline.MatchString(line):
				commands = append(commands, shellWords(strings.ReplaceAll(listInline.FindStringSubmatch(line)[1], ",", " ")))
			case strings.HasPrefix(line, "npm install -g "):
				if !strings.Contains(just, words[3]+"@") && !slices.Contains(ofAnAccount, words[3]) {
					t.Errorf("no recipe runs %s", words[3])
				}
			case len(words) > behind && words[behind] == "vibey":
				commands = append(commands, words[behind+1:])
			}
		}
	}
	verbs := map[string]int{}
	for _, args := range commands {
		if _, err := grammar().Parse(args, io.Discard); err != nil {
			t.Errorf("vibey %q: %v", args, err)
		}
		verbs[args[0]]++
	}
	if verbs["serve"] < 2 || verbs["acp"] < 3 || verbs["mcp"] < 3 {
		t.Errorf("found %v", verbs)
	}
	kinds := map[string]int{}
	for _, m := range flagText.FindAllStringSubmatch(page, -1) {
		kinds[m[1]]++
		var err error
		if m[1] == "agent" {
			_, err = parseAgent(m[2])
		} else {
			_, err = parseServer(m[2])
		}
		if err != nil {
			t.Errorf("%s: %v", m[0], err)
		}
	}
	if kinds["agent"] < 1 || kinds["mcp"] < 2 {
		t.Errorf("found %v", kinds)
	}
	for _, a := range adapters {
		if !strings.Contains(page, "`"+a.name+"`") {
			t.Errorf("the agent %s is not told", a.name)
		}
	}
}

// indented are the blocks of a page that stand four blanks or more to the right, without
// these.
func indented(page string) (blocks []string) {
	open := false
	for line := range strings.Lines(page) {
		text := strings.TrimLeft(line, " ")
		if !strings.HasPrefix(line, "    ") {
			open = false
			continue
		}
		if !open {
			blocks = append(blocks, "")
		}
		open = true
		blocks[len(blocks)-1] += text
	}
	return blocks
}

// shellWords are the words of a command line, without their quotes.
func shellWords(line string) (words []string) {
	for _, w := range shellWord.FindAllString(line, -1) {
		words = append(words, strings.Trim(w, `"'`))
	}
	return words
}

// started are the arguments with which settings of another program start vibey.
func started(settings any) (commands [][]string) {
	switch v := settings.(type) {
	case map[string]any:
		args, command := texts(v["args"]), texts(v["command"])
		if v["command"] == "vibey" {
			commands = append(commands, args)
		} else if len(command) > 0 && command[0] == "vibey" {
			commands = append(commands, command[1:])
		}
		for _, below := range v {
			commands = append(commands, started(below)...)
		}
	}
	return commands
}

// texts is a JSON list of texts.
func texts(v any) (out []string) {
	list, _ := v.([]any)
	for _, w := range list {
		s, _ := w.(string)
		out = append(out, s)
	}
	return out
}
