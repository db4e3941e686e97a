package claim

import (
	"slices"
	"strings"
)

// clause is the reading of one clause, word by word. What governs a word is the last
// one before it that is no article or the like.
type clause struct {
	*reader
	gov, before tag // what governs the word at hand, and what governed that
	words       bool
	self        bool // it has I or we
	aux         bool // or a form that has its subject with it, whose verb may come last
	now         bool
	verb        tag      // the verb of change of what I did
	place       bool     // behind it stands where
	guard       bool     // the verb's object lies elsewhere than where it is named
	subjects    []string // the files that it begins with
	waiting     []string // files that belong to the verb if one comes
	hit         []string // files that it says were changed
	backed      bool     // a file in it was changed: it claims nothing of others
	commits     bool
	work        bool
}

func (c *clause) read() {
	for i, t := range c.tokens {
		if !c.word(i, t) {
			break
		}
	}
	c.serves()
	if c.backed {
		c.hit = nil
	}
	if c.item && c.leads == nil && !c.words {
		if c.leads = c.subjects; c.list && !slices.ContainsFunc(c.subjects, c.backs) {
			c.hit = c.subjects
		}
	}
	if c.words {
		c.leads = nil
	}
}

// word takes in the next word, and reports whether the clause goes on.
func (c *clause) word(i int, t token) bool {
	if t.tag == places && t.text[0]|0x20 == 'm' && c.tag(i+1) == to && c.tag(i+2) == edits { // mis à jour
		t.tag, c.tokens[i+1].tag, c.tokens[i+2].tag = edits, filler, filler
	}
	c.work = c.work || t.tag == work || t.tag == file || t.tag == site && strings.EqualFold(t.text, "it")
	switch t.tag {
	case filler:
		return true
	case now:
		c.now = true
		return true
	case file:
		c.file(i, t.text)
		return true
	case and:
		if next := c.tag(i + 1); i == 0 || c.tokens[i-1].tag == file && (next == file || next == filler) {
			return true
		}
		c.waiting = nil
	case negates:
		if c.words = true; c.list {
			c.claims = c.claims[:0]
		}
		return false
	case unsaid:
		c.off = true
		return false
	case given:
		if c.tag(i+1) == stop { // only once
			break
		}
		c.over = true // and a server that is ready then is not ready now
		c.claims = slices.DeleteFunc(c.claims, func(claim string) bool { return strings.HasPrefix(claim, "a server") })
		return false
	case ends:
		c.over = c.over || c.first && !c.words
		c.words = true
		return false
	case subject:
		c.self, c.verb = true, 0
	case has:
		if strings.EqualFold(t.text, "he") && (i+1 == len(c.tokens) || !strings.HasSuffix(c.tokens[i+1].text, "o")) { // no Spanish
			t.tag = plain
			break
		}
		c.self, c.aux = true, true
	case was, is:
		if c.tag(i+1) == was { // è stato
			return true
		}
		c.verb = 0
	case contains:
		if c.tag(i+1) == was {
			return true
		}
		if (c.now || c.tag(i+1) == now) && c.gov == stop && !c.backed {
			c.hits(c.subjects...)
		}
	case in, at:
		c.place = c.verb != 0 && c.gov != listed
	case linkish:
		c.guard = true
	case planned:
		c.planned = true
	case tested:
		c.guard = c.guard || c.verb == edits || c.aux
	case edits, adds, removes, places:
		c.change(i, t.tag)
		return true
	case commits, pushes, git:
		c.commit(i, t)
	}
	c.words = true
	c.before, c.gov = c.gov, t.tag
	return true
}

// mineNow reports whether a verb at this place tells what I did.
func (c *clause) mineNow() bool {
	return c.gov == subject || c.gov == has || c.gov == and && (c.self || c.verb != 0) || c.gov == stop && len(c.subjects) == 0 && c.mine
}

func (c *clause) change(i int, verb tag) {
	next := c.tag(i + 1)
	over := next == stop || next == with || next == and || next == now || next == filler
	gov := verb
	switch {
	case c.gov == stop && len(c.subjects) == 0 && len(c.leads) > 0:
		if c.verb = verb; !slices.ContainsFunc(c.leads, c.backs) {
			c.hits(c.leads...)
		}
	case c.mineNow(), c.aux && c.verb == 0 && over:
		c.verb = verb
		c.hits(c.waiting...)
		if c.aux && over { // X habe ich geändert
			c.hits(c.subjects...)
		}
	case c.item && c.gov == stop && over, (c.gov == was || c.gov == is && c.now) && c.before == stop && (over || next == to && verb == edits):
		c.hits(c.subjects...)
	case (c.gov == was || c.gov == is) && over && (c.now || next == now || c.tokens[i-1].text == "been"):
		c.hits(c.waiting...)
	default:
		gov = listed
	}
	c.reader.verb = c.reader.verb || c.verb != 0 || c.gov == was || c.gov == is && (c.now || c.tag(i+1) == now)
	c.waiting, c.words = nil, true
	c.before, c.gov = c.gov, gov
}

func (c *clause) file(i int, name string) {
	if c.backs(name) {
		c.backed = true
	}
	next := c.tag(i + 1)
	switch {
	case c.verb == 0 && c.gov == stop:
		if len(c.subjects) < most {
			c.subjects = append(c.subjects, name)
		}
	case c.verb == 0 && (next != listed && (c.gov == in && c.before != listed || c.aux && (c.gov == has || c.gov == subject || c.gov == and))):
		c.waiting = append(c.waiting, name)
	case c.verb == 0:
	case c.gov == in && c.before != listed && !c.guard, c.gov == part && c.place && !c.guard,
		c.gov == to && c.verb == adds && !c.guard,
		c.gov == from && c.verb == removes && !c.guard,
		c.gov == edits && next != plain,
		c.gov == adds && next != plain && next != to,
		c.gov == removes && next != plain && next != from:
		c.hits(name)
	}
}

// hits takes in files that the clause says were changed.
func (c *clause) hits(files ...string) {
	c.hit = append(c.hit, files[:min(len(files), most-len(c.hit))]...)
}

// commit takes in a word of git, and claims a commit where there is none.
func (c *clause) commit(i int, t token) {
	mine := c.mineNow() || (c.gov == was || c.gov == is || c.gov == commits) && (c.work || c.commits) || c.aux && (c.tag(i+1) == stop || c.tag(i+1) == and)
	switch {
	case c.facts.Committed || c.commits:
	case t.tag == commits:
		c.commits = mine && c.toGit(i+1, true)
	case t.tag == pushes:
		c.commits = mine && c.toGit(i+1, false)
	case strings.EqualFold(t.text, "commit"):
		made := c.gov == produces && (c.before == subject || c.before == has || c.before == stop) || c.gov == edits && c.verb != 0
		next := c.tag(i + 1)
		c.commits = made && (next == stop || next != plain && next != file) || c.aux && (next == produces || next == edits)
	default:
		return
	}
	if c.commits {
		c.claims = append(c.claims, "anything was committed")
	}
}

// toGit reports whether what stands behind a verb at i is of git: nothing at all is so
// where bare.
func (c *clause) toGit(i int, bare bool) bool {
	for _, t := range c.tokens[i:min(i+most, len(c.tokens))] {
		switch t.tag {
		case git, sha:
			return true
		case work, file:
			bare = bare || t.tag == file
			continue
		case filler, and, pushes, commits, now, in:
		case to, at:
			bare = false
		case listed:
			return bare && t.text == "as"
		case site:
			if !strings.EqualFold(t.text, "it") {
				return false
			}
		default:
			return false
		}
	}
	return bare
}

// tag is that of word i, stop behind the last one.
func (c *clause) tag(i int) tag {
	if i < len(c.tokens) {
		return c.tokens[i].tag
	}
	return stop
}

// skip returns the first place from i on whose word has none of the tags.
func (c *clause) skip(i int, tags ...tag) int {
	for i < len(c.tokens) && slices.Contains(tags, c.tokens[i].tag) {
		i++
	}
	return i
}

// serves claims that a server is ready: "I started the server", "the server is running".
func (c *clause) serves() {
	i := c.skip(0, filler, kind, now, and)
	j := c.skip(i, subject, has, filler)
	self, started := j > i, c.tag(j) == starts
	if started && !self && !c.mine {
		return
	} else if i = j; started {
		i++
	}
	i = c.skip(i, filler, kind, now, file)
	weak := c.tag(i) == site
	if !weak && c.tag(i) != server {
		return
	}
	i = c.skip(i+1, server, kind)
	if !started {
		if c.ordered || slices.ContainsFunc(c.tokens[i:], func(t token) bool { return thenWords.Has(strings.ToLower(t.text)) }) {
			return
		}
		end := c.skip(i, is, was, now, filler, in)
		verb := self || c.skip(i, now, filler) < end
		if i = c.skip(end, starts, ready, and); i == end {
			return
		}
		here, _, _ := c.where(i)
		finite := c.tokens[end].text == "läuft" || c.tokens[end].text == "tourne" // they need no "is" before them
		if !verb && !here && !finite || weak && !here {
			return
		}
	}
	switch _, port, ok := c.where(i); {
	case !ok:
	case !c.facts.Ready:
		c.claims = append(c.claims, "a server is ready")
	case port != "" && len(c.facts.Ports) > 0 && !slices.Contains(c.facts.Ports, port):
		c.claims = append(c.claims, "a server is ready on port "+port)
	}
}

// where reads what stands behind a server and its state from i on: nothing, or where it
// is. ok is false where it is something else. Port is "" where it is not named.
func (c *clause) where(i int) (here bool, port string, ok bool) {
	switch i = c.skip(i, filler, now); c.tag(i) {
	case stop, and:
		return false, "", true
	case at, in:
		i = c.skip(i+1, filler, kind)
	case address:
	default:
		return false, "", false
	}
	switch {
	case c.tag(i) == address:
		_, host, remote := strings.Cut(c.tokens[i].text, "://")
		if !remote {
			host = c.tokens[i].text
		}
		host, _, _ = strings.Cut(host, "/")
		_, port, _ = strings.Cut(host, ":")
	case i+1 < len(c.tokens) && portWords.Has(strings.ToLower(c.tokens[i].text)) && isNumber(c.tokens[i+1].text):
		i++
		port = c.tokens[i].text
	default:
		return false, "", false
	}
	next := c.tag(c.skip(i+1, now, filler))
	return true, port, next == stop || next == and || next == ends
}

// thenWords say that a server is ready behind what is told to be done, and orderWords
// begin what tells it.
var thenWords, orderWords = SetOf("then dann alors entonces allora"),
	SetOf("run start execute type use starte führe lance lancez exécute exécutez démarre démarrez ejecuta ejecute inicia arranca esegui eseguite lancia avvia")

var portWords = SetOf("port puerto porta")

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }
