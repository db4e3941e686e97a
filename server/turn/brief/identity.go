package brief

import (
	"regexp"
	"slices"
	"strings"

	"vibey/dialog"
)

// identity is what doc-main.md says of its project in a few words: what an agent must
// know before all else. Each is one line, "" if the doc does not say it.
type identity struct{ name, audience, vision, brief string }

// How many bytes a name, and each of the others, has at most, so that the audience
// stands within the first 500 characters of the system text. The doc follows whole.
const (
	nameMost     = 80
	identityMost = 200
)

// aspects are the names by which a heading, or a line with a key, says one of them.
var aspects = []struct {
	of    func(*identity) *string
	words []string
}{
	{func(i *identity) *string { return &i.audience }, []string{
		"audience", "target audience", "our audience", "readers", "readership", "users", "our users", "target users", "who it is for", "who is it for", "who this is for", "for whom", "market",
		"zielgruppe", "publikum", "leser", "leserschaft", "für wen", "public", "public visé", "lectorat", "pour qui", "público", "público objetivo", "audiencia", "lectores", "para quién",
	}},
	{func(i *identity) *string { return &i.vision }, []string{"vision", "our vision", "mission", "goal", "goals", "purpose", "ziel", "ziele", "but", "objectif", "visión", "misión", "objetivo"}},
	{func(i *identity) *string { return &i.brief }, []string{
		"brief", "summary", "overview", "about", "description", "what it is", "what this is", "what we build", "what should exist", "idea", "kurz", "überblick", "worum es geht", "was entstehen soll",
		"résumé", "aperçu", "resumen", "descripción",
	}},
	{func(i *identity) *string { return &i.name }, []string{"name", "title", "titel", "titre", "título"}},
}

// aspect returns the field of an identity that a heading or key names, nil for none.
func (i *identity) aspect(name string) *string {
	name = strings.ToLower(strings.Trim(strings.TrimSpace(name), " *_:?#.!"))
	for _, a := range aspects {
		if slices.Contains(a.words, name) {
			return a.of(i)
		}
	}
	return nil
}

var (
	heading = regexp.MustCompile(`^ {0,3}(#{1,6})[ \t]+(.*?)[ \t#]*$`)
	// keyed is a line such as "> Audience: …", also "- **Audience:** …".
	keyed = regexp.MustCompile(`^\s*(?:>|[-*+])?\s*(?:\*\*|__)?([^\W\d][^:*_|]{0,40}?)(?:\*\*|__)?\s*:\s*(?:\*\*|__)?\s*(\S.*)$`)
	fence = regexp.MustCompile("^ {0,3}(```+|~~~+|əəə)")
)

// identify finds the identity of a project in its doc-main.md. A line with a key counts
// before a heading, which is taken with the paragraph below it; the first of each
// counts. Text in fences says nothing.
func identify(doc string) identity {
	var keys, heads identity
	var below *string // the field that the paragraph under the last heading fills
	inFence := ""
	for line := range strings.Lines(strings.TrimPrefix(doc, "\uFEFF")) { // an editor's byte order mark
		line = strings.TrimRight(line, "\r\n")
		if m := fence.FindStringSubmatch(line); m != nil {
			switch {
			case inFence == "":
				inFence = m[1]
			case strings.HasPrefix(m[1], inFence):
				inFence = ""
			}
			continue
		}
		if inFence != "" {
			continue
		}
		if m := heading.FindStringSubmatch(line); m != nil {
			if below = heads.aspect(m[2]); below != nil && *below != "" {
				below = nil
			}
			if len(m[1]) == 1 && heads.name == "" && heads.aspect(m[2]) == nil {
				heads.name = m[2]
			}
			continue
		}
		if m := keyed.FindStringSubmatch(line); m != nil {
			if to := keys.aspect(m[1]); to != nil {
				if *to == "" {
					*to = m[2]
				}
				continue
			}
		}
		switch {
		case below == nil:
		case strings.TrimSpace(line) != "":
			*below += " " + strings.TrimLeft(strings.TrimSpace(line), "> ")
		case *below != "":
			below = nil
		}
	}
	return identity{
		short(nameMost, keys.name, heads.name), short(identityMost, keys.audience, heads.audience),
		short(identityMost, keys.vision, heads.vision), short(identityMost, keys.brief, heads.brief),
	}
}

// short returns the first of the texts that says something, in one line of at most
// most bytes.
func short(most int, texts ...string) string {
	for _, s := range texts {
		s = strings.Join(strings.Fields(dialog.Clean(s, 4*most)), " ")
		if s == "" {
			continue
		}
		if len(s) > most {
			s = dialog.Clean(s, most-len("…")) + "…"
		}
		return s
	}
	return ""
}

// lines writes what is known of the identity, one line each.
func (i identity) lines() string {
	var b strings.Builder
	for _, l := range []struct{ name, value string }{{"Name", i.name}, {"Audience", i.audience}, {"Vision", i.vision}, {"Brief", i.brief}} {
		if l.value != "" {
			b.WriteString(l.name + ": " + l.value + "\n")
		}
	}
	return b.String()
}
