package mcp

import "vibey/dialog"

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
	from = dialog.HeadLen(text, from)
	to := dialog.HeadLen(text, from+pageMax)
	p := page{Text: text[from:to], From: from, Bytes: len(text)}
	if to < len(text) {
		p.Next = to
	}
	return p, nil
}
