package instructions

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"

	"vibey/dialog"
	"vibey/tools/caught"
)

// Skill is one skill, by what it says of itself. Each is one line.
type Skill struct {
	Name        string // at most 64 characters
	Description string // at most 1024, "" where it says none
	Path        string // in the project, such as deed/.agents/skills/pdf/SKILL.md
}

// Bounds of skills. Those of a name and a description are the format's own
// (agentskills.io/specification, 2025-12).
const (
	skillsMost      = 50
	listMost        = 16 << 10 // bytes of the list
	nameMost        = 64
	descriptionMost = 1024
	headMost        = 8 << 10 // bytes of a file in which its front matter must end
	foldersMost     = 500     // that are looked at of one folder of skills
)

// folders hold a folder for each skill, below the deed.
var folders = []string{".agents/skills", ".claude/skills"}

// Skills lists the skills of a deed, which may be nil, and of a project's docs, by their
// paths. docs lists the docs in any order. One file that is reached by two paths is listed once.
func Skills(deed, project *os.Root, docs func() ([]string, error)) (all []Skill, err error) {
	var seen []fs.FileInfo
	add := func(root *os.Root, file, shown string) error {
		info, err := root.Stat(file)
		if err != nil || !dialog.OneLine(shown) || len(shown) > 300 || slices.ContainsFunc(seen, func(o fs.FileInfo) bool { return os.SameFile(o, info) }) {
			return Broken(err)
		}
		head, _, err := read(root, file, headMost)
		if err != nil {
			return Broken(err)
		}
		seen = append(seen, info)
		all = append(all, skill(string(head), shown))
		return nil
	}
	if deed != nil {
		for _, folder := range folders {
			in, err := names(deed, folder, foldersMost)
			if err != nil {
				return nil, err
			}
			for _, name := range slices.Sorted(slices.Values(in)) {
				file := path.Join(folder, name, "SKILL.md")
				if err := add(deed, file, "deed/"+file); err != nil {
					return nil, err
				}
			}
		}
	}
	in, err := docs()
	if Broken(err) != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(slices.Values(in)) {
		if strings.HasPrefix(name, "doc-skill-") {
			if info, err := project.Lstat(name); err == nil && info.Mode().IsRegular() {
				if err := add(project, name, name); err != nil {
					return nil, err
				}
			}
		}
	}
	return all, nil
}

// skill reads the front matter of a skill's file. One without a name has that of its
// folder or doc.
func skill(head, file string) Skill {
	name := path.Base(path.Dir(file))
	if !strings.Contains(file, "/") {
		name = strings.TrimSuffix(strings.TrimPrefix(file, "doc-skill-"), ".md")
	}
	if name == "" {
		name = file
	}
	front := frontMatter(head)
	var strict struct{ Name, Description any }
	err := caught.Do(func() error { // the library is asked about a text that anybody wrote
		return yaml.Unmarshal([]byte(front), &strict)
	})
	text := func(value any, key string) string {
		if s, ok := value.(string); err == nil && (ok || value == nil) {
			return s
		}
		return loose(front, key)
	}
	if said := line(text(strict.Name, "name"), nameMost); said != "" {
		name = said
	}
	return Skill{line(name, nameMost), line(text(strict.Description, "description"), descriptionMost), file}
}

// loose reads the value of a key of front matter line by line, as people write it and
// YAML does not take it, such as one with a colon and a blank in it. What is indented
// below it belongs to it. It returns "" for none, and for one without a letter or digit.
func loose(front, key string) string {
	_, rest, ok := strings.Cut("\n"+front, "\n"+key+":")
	if !ok {
		return ""
	}
	first, more, _ := strings.Cut(rest, "\n")
	first = strings.TrimSpace(first)
	if first != "" && (first[0] == '>' || first[0] == '|') && strings.Trim(first[1:], "+-123456789") == "" {
		first = "" // it says how the lines below it are folded
	}
	parts := []string{first}
	for next := range strings.Lines(more) {
		if text := strings.TrimSpace(next); text != "" && !strings.HasPrefix(next, " ") && !strings.HasPrefix(next, "\t") {
			break
		} else {
			parts = append(parts, text)
		}
	}
	value := strings.TrimSpace(strings.Join(parts, "\n"))
	for _, quote := range []string{`"`, "'"} {
		if inner, ok := strings.CutPrefix(value, quote); ok {
			value = strings.TrimSuffix(inner, quote)
		}
	}
	if !strings.ContainsFunc(value, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return ""
	}
	return value
}

// frontMatter is what stands between two lines "---" at the beginning of a text, or "".
func frontMatter(text string) string {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\uFEFF"), "\r\n", "\n")
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return ""
	}
	front, _, ok := strings.Cut("\n"+rest, "\n---")
	if !ok {
		return ""
	}
	return front
}

// line is a text in one line of at most most characters.
func line(text string, most int) string {
	return dialog.Cut(strings.Join(strings.Fields(dialog.Straight(text)), " "), most)
}

// skillsText is the list as a model reads it, "" for none.
func skillsText(all []Skill) string {
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("[Skills — instructions for certain kinds of work, of which only names stand here. Before you do work that a description fits, " +
		"read its file, with read_file or a command such as cat; files that it names lie beside it. They permit nothing, and doc-main.md comes first.]\n")
	told := 0
	for _, s := range all[:min(len(all), skillsMost)] {
		item := "\n- " + s.Name + " (" + s.Path + ")"
		if s.Description != "" {
			item += ": " + s.Description
		}
		if b.Len()+len(item) > listMost {
			break
		}
		b.WriteString(item)
		told++
	}
	if n := len(all) - told; n > 0 {
		b.WriteString("\n- and " + strconv.Itoa(n) + " more, which are not listed")
	}
	return b.String()
}
