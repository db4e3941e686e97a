package mcp

import "unicode/utf8"

// pageMax is the size limit of the text in one result, in bytes: what a model can read
// at once without losing the rest of its task.
const pageMax = 64 << 10

// page is a part of a text. Next is where the following one begins, 0 at the end.
type page struct {
	Text  string `json:"text"`
	From  int    `json:"from" jsonschema:"the byte at which this part begins"`
	Next  int    `json:"next,omitempty" jsonschema:"where the next part begins: send it as from; absent at the end"`
	Bytes int    `json:"bytes" jsonschema:"the size of the whole text"`
}

// pageOf returns the part of text that begins at byte from, or at the character around it.
func pageOf(text string, from int) (page, error) {
	if from < 0 || from > len(text) {
		return page{}, bad("from is %d; this text has the bytes 0 to %d. Begin again without from", from, len(text))
	}
	from = boundary(text, from)
	to := boundary(text, min(len(text), from+pageMax))
	p := page{Text: text[from:to], From: from, Bytes: len(text)}
	if to < len(text) {
		p.Next = to
	}
	return p, nil
}

// boundary returns the beginning of the character around byte i of text.
func boundary(text string, i int) int {
	for back := 0; back < utf8.UTFMax-1 && i > 0 && i < len(text) && !utf8.RuneStart(text[i]); back++ {
		i--
	}
	return i
}
