package turn

import (
	"math/rand/v2"
	"strings"
)

// odd are bytes and lines that a file should not hold where they come to stand.
var odd = []string{
	"\x00", "\x01", "\x7f", "\u0085", "\u2028", "\u2029", "\xff", "\xc9", "ə", "əəə", "\r", "\n", "\ufeff", " ", "\t", "\"", "{", "}", ":", `\ud83d`,
	"\n## Tool Request\n", "\n## System\n", "\n## User\n", "\n## Authorization\n", "\nəəə\n", "\nəəətool/input/json\n", "\n> Id: c1\n", "\n> Provider: claude\n",
}

// meta are the lines whose values a turn reads again.
var meta = []string{
	"> Id: ", "> Parent: ", "> Tool: ", "> Status: ", "> Time: ", "> Resources: ", "> Provider: ", "> Model: ", "> DialogId: ", "> Started: ",
	"> Kind: ", "> To: ", "> Doc: ", "> Prefix: ", "> Mac: ", "> From: ", "> Family: ", "> Depth: ", "> Resources cumulative: ", "əəə", `"name":`, `"input_schema":`, `"type":`,
}

// values are what such a line may say after damage.
var values = []string{
	"", "\x00", "a\x01b", "x\u2028y", "\xff\xfe", "c1", "allow", "run_command", "in=999999999999999999 out=999999999999999999 total=999999999999999999 tools=9 ms=9",
	"in=-1 out=x", "2026-99-99T99:99:99Z - never", "other", strings.Repeat("x", 70), "yes", "model", "-3", "null", `""`, `"object"`, `{"type":7}`,
}

// damageFile changes a text in a few places, as a disk, an editor or a hand might.
func damageFile(r *rand.Rand, text string) string {
	for range 1 + r.IntN(4) {
		text = damageFileOnce(r, text)
	}
	return text
}

func damageFileOnce(r *rand.Rand, text string) string {
	if text == "" {
		return odd[r.IntN(len(odd))]
	}
	at := r.IntN(len(text))
	end := min(len(text), at+1+r.IntN(1<<r.IntN(10)))
	switch r.IntN(14) {
	case 0: // a bit
		return text[:at] + string([]byte{text[at] ^ 1<<r.IntN(8)}) + text[at+1:]
	case 1:
		return text[:at] + text[end:]
	case 2:
		return text[:end] + text[at:]
	case 3:
		return text[:at] + strings.Repeat("\x00", end-at) + text[end:]
	case 4:
		return text[:at] + odd[r.IntN(len(odd))] + text[at:]
	case 5: // two lines change places
		lines := strings.SplitAfter(text, "\n")
		i, j := r.IntN(len(lines)), r.IntN(len(lines))
		lines[i], lines[j] = lines[j], lines[i]
		return strings.Join(lines, "")
	case 6: // a line is lost
		lines := strings.SplitAfter(text, "\n")
		i := r.IntN(len(lines))
		return strings.Join(append(lines[:i:i], lines[i+1:]...), "")
	case 7:
		switch r.IntN(4) {
		case 0:
			return strings.Replace(text, "\n", "\r\n", 1+r.IntN(3))
		case 1:
			return strings.ReplaceAll(text, "\n", "\r\n")
		case 2:
			return "\ufeff" + text
		}
		return text[:at]
	default: // what a line of metadata or JSON says
		return damageValue(r, text)
	}
}

func damageValue(r *rand.Rand, text string) string {
	key := meta[r.IntN(len(meta))]
	n := strings.Count(text, key)
	if n == 0 {
		return text
	}
	at := 0
	for range 1 + r.IntN(n) {
		at += strings.Index(text[at:], key) + len(key)
	}
	end := at + strings.IndexAny(text[at:]+"\n", "\n,")
	switch r.IntN(3) {
	case 0:
		return text[:at] + values[r.IntN(len(values))] + text[end:]
	case 1: // within the value
		k := at + r.IntN(end-at+1)
		return text[:k] + odd[r.IntN(len(odd))] + text[k:]
	}
	return text[:at-len(key)] + text[end:]
}
