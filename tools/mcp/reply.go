package mcp

import (
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vibey/dialog"
)

// Reply is what a server answered to a call, as it came and of whatever size, and the
// tools that it listed before.
type Reply struct {
	Content    []Content
	Structured dialog.RawJSON // "" for none
	IsError    bool           // the server says that the tool failed
	Listed     Listing
}

// Content is one piece of an answer. Type is text, image, audio, resource or
// resource_link, as in the protocol.
type Content struct {
	Type                     string
	Text                     string
	Data                     []byte // of an image, a sound, or a resource of bytes; nil for none
	MIMEType                 string
	URI                      string
	Name, Title, Description string
}

func replyOf(r *sdk.CallToolResult, l Listing) Reply {
	reply := Reply{IsError: r.IsError, Listed: l}
	for _, c := range r.Content {
		reply.Content = append(reply.Content, contentOf(c))
	}
	reply.Structured = dialog.RawJSON(structuredOf(r.StructuredContent))
	return reply
}

func contentOf(c sdk.Content) Content {
	switch c := c.(type) {
	case *sdk.TextContent:
		return Content{Type: "text", Text: c.Text}
	case *sdk.ImageContent:
		return Content{Type: "image", Data: append([]byte{}, c.Data...), MIMEType: c.MIMEType}
	case *sdk.AudioContent:
		return Content{Type: "audio", Data: append([]byte{}, c.Data...), MIMEType: c.MIMEType}
	case *sdk.ResourceLink:
		return Content{Type: "resource_link", URI: c.URI, Name: c.Name, Title: c.Title, Description: c.Description, MIMEType: c.MIMEType}
	case *sdk.EmbeddedResource:
		if c.Resource != nil {
			return Content{Type: "resource", URI: c.Resource.URI, MIMEType: c.Resource.MIMEType, Text: c.Resource.Text, Data: c.Resource.Blob}
		}
		return Content{Type: "resource"}
	}
	return Content{Type: "unknown"}
}
