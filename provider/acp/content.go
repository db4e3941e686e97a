package acp

import (
	"encoding/base64"
	"fmt"

	"vibey/dialog/jsontext"
)

// ContentBlock is one piece of a prompt, of a message or of what a tool brought. Type
// is text, image, audio, resource_link or resource, and says which fields are set.
type ContentBlock struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	Data     string    `json:"data,omitempty"` // base64, of an image or audio
	MimeType string    `json:"mimeType,omitempty"`
	URI      string    `json:"uri,omitempty"`
	Name     string    `json:"name,omitempty"`
	Resource *Resource `json:"resource,omitempty"`
}

// Resource is an embedded file: Text, or Blob as base64.
type Resource struct {
	URI      string `json:"uri"`
	MimeType string `json:"mimeType,omitempty"`
	Text     string `json:"text,omitempty"`
	Blob     string `json:"blob,omitempty"`
}

// Text returns a text block.
func Text(text string) ContentBlock { return ContentBlock{Type: "text", Text: text} }

// Image returns a block of a picture of that media type.
func Image(typ string, b []byte) ContentBlock {
	return ContentBlock{Type: "image", MimeType: typ, Data: base64.StdEncoding.EncodeToString(b)}
}

// MarshalJSON writes the text of a text block also where it is empty.
func (b ContentBlock) MarshalJSON() ([]byte, error) {
	if b.Type == "text" {
		return jsontext.Marshal(struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}{b.Type, b.Text})
	}
	type plain ContentBlock
	return jsontext.Marshal(plain(b))
}

// Markdown returns what a reader sees of the block. Of images and sound it is a line
// that says what was there.
func (b ContentBlock) Markdown() string {
	switch b.Type {
	case "text":
		return b.Text
	case "resource_link":
		return fmt.Sprintf("[%s](%s)", b.Name, b.URI)
	case "resource":
		if b.Resource != nil && b.Resource.Text != "" {
			return b.Resource.Text
		}
	}
	kind := b.Type
	if b.MimeType != "" {
		kind += " " + b.MimeType
	}
	return fmt.Sprintf("[%s, %d bytes of base64, not kept]", kind, len(b.Data))
}
