package dialog

import (
	"strconv"
	"strings"
	"sync"
	"time"
)

// slugMax is the most characters a slug has, so that a name fits every file system.
const slugMax = 60

// Filename is the name of the file of a dialog with that id and status.
func Filename(id string, st Status) string { return "dialog-" + id + "-" + string(st) + ".md" }

// OpenName is the name of the file that holds the response being streamed.
func OpenName(id string) string { return "." + id + ".open" }

// ParseOpenName returns the id that an OpenName holds; ok is false for any other name.
func ParseOpenName(name string) (id string, ok bool) {
	id = strings.TrimSuffix(strings.TrimPrefix(name, "."), ".open")
	return id, OpenName(id) == name && ValidID(id)
}

// ParseName returns the id and the status that a dialog's file name holds; ok is
// false for any other name.
func ParseName(name string) (id string, st Status, ok bool) {
	rest, ok := strings.CutPrefix(name, "dialog-")
	for _, st := range [...]Status{Active, Waiting, Done} {
		if id, is := strings.CutSuffix(rest, "-"+string(st)+".md"); ok && is && ValidID(id) {
			return id, st, true
		}
	}
	return "", "", false
}

// ValidFile reports whether name can be a file's directly in a project, a doc's or
// a dialog's: letters, digits, _ - and dots, no "..", no dot in front, ending in
// ".md", 200 characters at most. Every other package asks here.
func ValidFile(name string) bool {
	return len(name) > len(".md") && len(name) <= 200 && name[0] != '.' && strings.HasSuffix(name, ".md") && SimpleName(name)
}

// ValidID reports whether id has the form <YYYYMMDD-HHmmss>-<slug>.
func ValidID(id string) bool {
	isNumber := func(s string) bool { return strings.Trim(s, "0123456789") == "" }
	return len(id) >= 17 && len(id) <= 100 && isNumber(id[:8]) && id[8] == '-' && isNumber(id[9:15]) && id[15] == '-' &&
		SimpleName(id[16:]) && !strings.Contains(id, "..")
}

// SimpleName reports whether a name has only letters, digits, _ - and dots, and no
// "..": as a file name it can't lead out of a folder.
func SimpleName(name string) bool {
	return IsMadeOf(name, "-_.") && !strings.Contains(name, "..")
}

// NewID returns the id of a dialog that begins now. n counts from 1 the dialogs of
// the same second and slug: the id of the second one ends in -2.
func NewID(now time.Time, slug string, n int) string {
	id := now.UTC().Format("20060102-150405") + "-" + slug
	if n > 1 {
		id += "-" + strconv.Itoa(n)
	}
	return id
}

// Slug makes a file name's part of any words in any script: lower-case letters
// a-z, digits and hyphens, never empty, at most 60 characters, never a status
// or ending in one. Words with letters that latin lacks get a hash, so that they
// differ. A letter and a mark that combines with it are the letter with that mark.
func Slug(words string) string {
	var b strings.Builder
	lost := false
	var before rune // the letter that a mark combines with, 0 for none
	for _, r := range strings.ToLower(words) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case latin()[r] != "":
			b.WriteString(latin()[r])
		case r >= 0x300 && r <= 0x36f && before != 0:
			if r == diaeresis && strings.ContainsRune("aou", before) {
				b.WriteByte('e')
			}
			continue
		default:
			lost = lost || r > 0x2ff && !(r >= 0x2000 && r < 0x2070)
			b.WriteByte('-')
			before = 0
			continue
		}
		before = r
	}
	s := strings.Join(strings.FieldsFunc(b.String(), func(r rune) bool { return r == '-' }), "-")
	hash := ""
	if lost || s == "" {
		hash = "x" + SHA256(words)[:8]
	}
	if max := slugMax - len(hash) - len("-dialog"); len(s) > max {
		s = strings.TrimRight(s[:max], "-")
	}
	if s != "" && hash != "" {
		s += "-"
	}
	s += hash
	if i := strings.LastIndexByte(s, '-'); Status(s[i+1:]).Valid() {
		s += "-dialog"
	}
	return s
}

// diaeresis makes an umlaut of the letter before it, where that is written apart from it,
// as file names of a Mac are.
const diaeresis = '\u0308'

// latin writes letters of other alphabets with those of a file name.
var latin = sync.OnceValue(func() map[rune]string {
	m := map[rune]string{}
	for _, row := range []string{
		"a àáâãåāăąа", "ae äæ", "b б", "c çćĉċč", "d ďđðд", "e èéêëēĕėęěеэ", "f ф", "g ĝğġģг", "h ĥħх", "i ìíîïĩīĭįıи",
		"j ĵ", "k ķк", "l ĺļľłл", "m м", "n ñńņňн", "o òóôõøōŏőо", "oe öœ", "p п", "r ŕŗřр", "s śŝşšс", "ss ß",
		"t ţťŧт", "th þ", "u ùúûũūŭůűųу", "ue ü", "v в", "w ŵ", "y ýÿŷйы", "z źżžз", "yo ё", "zh ж", "ts ц", "ch ч",
		"sh ш", "shch щ", "yu ю", "ya я", "a αά", "v β", "g γ", "d δ", "e εέ", "z ζ", "i ηήιίϊ", "th θ", "k κ", "l λ",
		"m μ", "n ν", "x ξ", "o οόωώ", "p π", "r ρ", "s σς", "t τ", "y υύ", "f φ", "ch χ", "ps ψ",
	} {
		to, from, _ := strings.Cut(row, " ")
		for _, r := range from {
			m[r] = to
		}
	}
	return m
})
