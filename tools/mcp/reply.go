package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vibey/dialog/history"
	"vibey/dialog/jsontext"
)

// Reply is what a server answered to a call, as it came and of whatever size, and the
// tools that it listed before.
type Reply struct {
	Content    []Content
	Structured history.RawJSON // "" for none
	IsError    bool            // the server says that the tool failed
	Left       []string        // what of the answer is left out or stands as it came, in sentences
	Listed     Listing
}

// Content is one piece of an answer. Type is text, image, audio, resource or
// resource_link, as in the protocol; of another one, Text is the piece as it came.
type Content struct {
	Type                     string
	Text                     string
	Data                     []byte // of an image, a sound, or a resource of bytes; nil for none
	MIMEType                 string
	URI                      string
	Name, Title, Description string
}

// unknownPiece is the type of a piece that tells none.
const unknownPiece = "unknown"

// structuredDepth is how deep a structured result may be nested: whoever reads a dialog has
// a bound of its own.
const structuredDepth = 1000

func replyOf(r *sdk.CallToolResult, l Listing) Reply {
	reply := Reply{IsError: r.IsError, Listed: l}
	text, ok := exactOf(r.StructuredContent)
	if !ok {
		return reply // an object without content
	}
	var told struct {
		Content    json.RawMessage `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    json.RawMessage `json:"isError"`
	}
	json.Unmarshal([]byte(text), &told) // it was read before
	if !slices.Contains([]string{"", "false", "null"}, string(told.IsError)) {
		reply.IsError = true // also what is neither true nor false
	}
	odd := 0
	all, more := pieces(told.Content)
	if more {
		reply.Left = append(reply.Left, fmt.Sprintf("Of its content the first %d pieces are here; there were more.", piecesMost))
	}
	for _, raw := range all {
		c, ok := contentOf(raw)
		if !ok {
			odd++
		}
		reply.Content = append(reply.Content, c)
	}
	if odd > 0 {
		reply.Left = append(reply.Left, "Where a piece of content is none of the protocol's, its text is the piece as it came.")
	}
	switch s := string(told.Structured); {
	case s == "" || s == "null":
	case jsontext.Deeper(s, structuredDepth):
		reply.Left = append(reply.Left, "The structured result is left out: it is nested too deep.")
	default:
		reply.Structured = history.RawJSON(s)
	}
	return reply
}

// piecesMost is how many pieces of content are read: each costs more than its bytes.
const piecesMost = 1000

// pieces are those of a result's content, and whether there are more. What is no list is
// one piece.
func pieces(content json.RawMessage) (all []json.RawMessage, more bool) {
	if first := bytes.TrimSpace(content); len(first) == 0 || string(first) == "null" {
		return nil, false
	} else if first[0] != '[' {
		return []json.RawMessage{content}, false
	}
	d := json.NewDecoder(bytes.NewReader(content))
	d.Token() // the bracket
	for d.More() {
		var one json.RawMessage
		if len(all) == piecesMost || d.Decode(&one) != nil {
			return all, true
		}
		all = append(all, one)
	}
	return all, false
}

// contentOf reads one piece; ok is false where it is none of the protocol's.
func contentOf(raw json.RawMessage) (c Content, ok bool) {
	type resource struct {
		URI      string `json:"uri"`
		MIMEType string `json:"mimeType"`
		Text     string `json:"text"`
		Blob     []byte `json:"blob"`
	}
	var told struct {
		Type        string   `json:"type"`
		Text        string   `json:"text"`
		Data        []byte   `json:"data"`
		MIMEType    string   `json:"mimeType"`
		URI         string   `json:"uri"`
		Name        string   `json:"name"`
		Title       string   `json:"title"`
		Description string   `json:"description"`
		Resource    resource `json:"resource"`
	}
	err := json.Unmarshal(raw, &told)
	if err == nil {
		switch told.Type {
		case "text":
			return Content{Type: "text", Text: told.Text}, true
		case "image", "audio":
			return Content{Type: told.Type, Data: append([]byte{}, told.Data...), MIMEType: told.MIMEType}, true
		case "resource_link":
			return Content{Type: told.Type, URI: told.URI, Name: told.Name, Title: told.Title, Description: told.Description, MIMEType: told.MIMEType}, true
		case "resource":
			of := told.Resource
			return Content{Type: told.Type, URI: of.URI, MIMEType: of.MIMEType, Text: of.Text, Data: of.Blob}, true
		}
	}
	c = Content{Type: unknownPiece, Text: string(raw)}
	if err == nil && told.Type != "" {
		c.Type = clip(strings.ReplaceAll(told.Type, "\x00", "\uFFFD"), 60)
	}
	return c, false
}
