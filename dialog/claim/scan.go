package claim

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// token is a word of a clause.
type token struct {
	tag  tag
	text string
}

// scan reads a line of a shown text, clause by clause.
func (r *reader) scan(line string) {
	r.tokens = r.tokens[:0]
	for i := 0; i < len(line); {
		c, size := rune(line[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRuneInString(line[i:])
		}
		switch {
		case c == ' ' || c == '\t' || c == '\'':
		case c >= 0x2e80 && unicode.IsLetter(c), c == '§':
			r.tokens = append(r.tokens, token{plain, elided})
		case inWord(c), (c == '.' || c == '/' || c == '~') && i+1 < len(line) && inWord(rune(line[i+1])):
			n, path := wordEnd(line[i:])
			size = n
			t := token{text: line[i : i+n]}
			if t.tag = tagOf(t.text, path); t.tag == begins {
				r.clause()
				break
			}
			r.tokens = append(r.tokens, t)
		case c == '&' || c == '+':
			r.tokens = append(r.tokens, token{and, "&"})
		case c == '-':
			if strings.HasPrefix(line[i:], "- ") {
				r.clause()
			}
		default:
			switch c {
			case '.', '!', '?', '…':
				r.clause()
				r.end(c == '?')
			case ',', ';', ':', '(', ')', '|', '=', '—', '–', '{', '}', '→':
				r.clause()
			}
		}
		i += size
	}
	r.clause()
	r.end(false)
}

func inWord(c rune) bool {
	return c < utf8.RuneSelf && (wordly(byte(c)) || c == '_') || c >= 0xc0 && c < 0x2e80 && (unicode.IsLetter(c) || unicode.IsDigit(c))
}

// joins are the bytes that may stand within a path or an address, those of words true.
var joins = func() (t [utf8.RuneSelf]struct{ word, join bool }) {
	for c := range t {
		t[c].word, t[c].join = wordly(byte(c)) || c == '_', strings.IndexByte("./-@~[]+#%", byte(c)) >= 0
	}
	return t
}()

// wordEnd returns the length of the word, path or address that s begins with, and
// whether it may be more than a word.
func wordEnd(s string) (end int, path bool) {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			if !inWord(r) {
				return max(end, 1), path
			}
			i += size
			end = i
			continue
		case joins[c].word:
			end = i + 1
		case c == ']' && i+1 < len(s) && (s[i+1] == '.' || s[i+1] == '/'):
			end = i + 1
		case c == ':' && i+1 < len(s) && (s[i+1] >= '0' && s[i+1] <= '9' || strings.HasPrefix(s[i:], "://")):
			path = true
		case i > end && c == '.': // ".."
			return max(end, 1), path
		case joins[c].join, (c == '?' || c == '&' || c == '=') && strings.HasPrefix(s, "http"):
			path = true
		default:
			return max(end, 1), path
		}
		i++
	}
	return max(end, 1), path
}

// tagOf tells what a word may do in a claim.
func tagOf(word string, path bool) tag {
	if len(word) <= longestWord {
		if t := tags()[key(word)]; t != plain {
			return t
		}
	}
	path = path || strings.HasSuffix(word, "e") || strings.HasSuffix(word, "t") // Makefile, localhost
	switch {
	case isSHA(word):
		return sha
	case path && isHere(word):
		return address
	case path && isFile(word):
		return file
	case strings.HasPrefix(word, "origin/"):
		return git
	case !path && (strings.HasSuffix(word, "ed") || strings.HasSuffix(word, "ten") || strings.HasSuffix(word, "nen")):
		return listed
	}
	return plain
}

// isHere reports whether a word is an address on this machine.
func isHere(word string) bool {
	_, rest, ok := strings.Cut(word, "://")
	if !ok {
		rest = word
	}
	rest, _, _ = strings.Cut(rest, "/")
	host, _, _ := strings.Cut(rest, ":")
	return host == "localhost" || host == "127.0.0.1" || host == "0.0.0.0"
}

// suffixes are those of files; the products are no files for all that.
var suffixes, products = SetOf(`astro bash bat bib bak bats c cc cfg cjs conf cpp cs css csv dart diff ex exs gd go gql graphql gif h hpp htm html ico ini ipynb java jl jpeg jpg js json jsonc jsx kt less lock lua m md mdx mjs ml mod nim odt patch pdf php pl png proto ps1 py r rb rs rst sass scss sh sql sum svelte svg swift tex tf toml ts tscn tsv tsx txt vue webp wgsl xml yaml yml zig`),
	SetOf(`node.js next.js vue.js nuxt.js express.js three.js d3.js react.js alpine.js chart.js p5.js ember.js jquery.js discord.js phaser.js leaflet.js moment.js res.json req.json response.json request.json r.json`)

// isFile reports whether a word is the name of a file of a project.
func isFile(word string) bool {
	if strings.Contains(word, "://") {
		return false
	}
	word, _, _ = strings.Cut(word, ":")
	switch base := word[strings.LastIndexByte(word, '/')+1:]; base {
	case "Makefile", "Dockerfile", "Procfile", "Gemfile", ".gitignore", ".env":
		return true
	default:
		if strings.HasPrefix(word, "deed/") {
			return true
		}
		dot := strings.LastIndexByte(base, '.')
		return dot > 0 && suffixes.Has(strings.ToLower(base[dot+1:])) && !products.Has(strings.ToLower(word))
	}
}

func isSHA(word string) bool {
	digits, letters := 0, 0
	if len(word) < 7 || len(word) > 64 {
		return false
	}
	for i := range len(word) {
		switch c := word[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'f':
			letters++
		default:
			return false
		}
	}
	return digits > 0 && letters > 0
}

// Set is a set of words, made when it is first asked: else each start of this program would
// pay for all, the one within a command's walls as well.
type Set func() map[string]bool

// SetOf returns the words of a text.
func SetOf(words string) Set {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for _, w := range strings.Fields(words) {
			set[w] = true
		}
		return set
	})
}

// Has reports whether a word is in the set.
func (s Set) Has(word string) bool { return s()[word] }
