// Package mcptest is MCP servers for tests: an honest one, built with the SDK, and liars
// that are written by hand. A test's own binary is such a server where it is started as
// one:
//
//	mcptest.Main("honest")    // at standard input and output, until the input ends
//	http.Handler: mcptest.Handler()
package mcptest

import (
	"context"
	"encoding/base64"
	"net"
	"net/http"
	"os"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Main is the server of that kind: "honest", or one of the liars. "http" and the name of a
// file is the honest one over HTTP: it writes its address there.
func Main(args ...string) {
	switch kind := args[0]; kind {
	case "honest":
		Server().Run(context.Background(), &sdk.StdioTransport{})
	case "http":
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		if err := os.WriteFile(args[1], []byte("http://"+l.Addr().String()+"/"), 0o644); err != nil {
			panic(err)
		}
		http.Serve(l, Handler())
	default:
		lie(kind, os.Stdin, os.Stdout)
	}
}

// Handler is the honest server over streamable HTTP.
func Handler() http.Handler {
	s := Server()
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil)
}

// PNG is a picture of one pixel.
var PNG, _ = base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")

type (
	textInput struct {
		Text string `json:"text"`
	}
	sizeInput struct {
		Bytes int `json:"bytes"`
	}
	nameInput struct {
		Name string `json:"name"`
	}
	sum struct {
		Sum int `json:"sum"`
	}
	addInput struct {
		A int `json:"a"`
		B int `json:"b"`
	}
)

func text(s string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
}

// Server returns the honest server. Its tools:
//
//	echo {text}        the text
//	read file/now {}   a name with a blank and a slash
//	add {a,b}          {"sum"}, structured
//	big {bytes}        that many letters
//	picture {}         a text, a picture, a sound and a resource of bytes
//	fail {text}        an error in the server's words
//	env {name}         a variable of its environment
//	keep {name}        writes a variable of its environment into the file kept of its HOME
//	put {name}         makes a file in its folder; the error where it can't
//	get-Now {}         a name with a hyphen and a capital
//	look {}            says of itself that it changes nothing
//	hang {}            waits until it is canceled, then makes the file deed/canceled
//	die {}             ends the server
//	grow {}            adds the tool grown to the list, and takes echo off it
func Server() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "honest", Version: "1"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "echo", Description: "Says the text again."},
		func(_ context.Context, _ *sdk.CallToolRequest, in textInput) (*sdk.CallToolResult, any, error) {
			return text(in.Text), nil, nil
		})
	sdk.AddTool(s, &sdk.Tool{Name: "add", Description: "Adds two numbers."},
		func(_ context.Context, _ *sdk.CallToolRequest, in addInput) (*sdk.CallToolResult, sum, error) {
			return nil, sum{in.A + in.B}, nil
		})
	sdk.AddTool(s, &sdk.Tool{Name: "big", Description: "Says much."},
		func(_ context.Context, _ *sdk.CallToolRequest, in sizeInput) (*sdk.CallToolResult, any, error) {
			return text(strings.Repeat("a", in.Bytes)), nil, nil
		})
	sdk.AddTool(s, &sdk.Tool{Name: "fail", Description: "Fails."},
		func(_ context.Context, _ *sdk.CallToolRequest, in textInput) (*sdk.CallToolResult, any, error) {
			r := text(in.Text)
			r.IsError = true
			return r, nil, nil
		})
	sdk.AddTool(s, &sdk.Tool{Name: "env", Description: "Tells a variable."},
		func(_ context.Context, _ *sdk.CallToolRequest, in nameInput) (*sdk.CallToolResult, any, error) {
			return text(in.Name + "=" + os.Getenv(in.Name)), nil, nil
		})
	sdk.AddTool(s, &sdk.Tool{Name: "keep", Description: "Keeps a variable."},
		func(_ context.Context, _ *sdk.CallToolRequest, in nameInput) (*sdk.CallToolResult, any, error) {
			return text("kept"), nil, os.WriteFile(os.Getenv("HOME")+"/kept", []byte(os.Getenv(in.Name)), 0o600)
		})
	sdk.AddTool(s, &sdk.Tool{Name: "put", Description: "Makes a file."},
		func(_ context.Context, _ *sdk.CallToolRequest, in nameInput) (*sdk.CallToolResult, any, error) {
			if err := os.WriteFile(in.Name, []byte("made\n"), 0o644); err != nil {
				return nil, nil, err
			}
			return text("made " + in.Name), nil, nil
		})
	plain(s)
	return s
}

// plain adds the tools without input.
func plain(s *sdk.Server) {
	none := &sdk.Tool{InputSchema: map[string]any{"type": "object"}}
	add := func(name, about string, readOnly bool, f sdk.ToolHandler) {
		t := *none
		t.Name, t.Description, t.Annotations = name, about, &sdk.ToolAnnotations{ReadOnlyHint: readOnly}
		s.AddTool(&t, f)
	}
	add("read file/now", "Reads.", false, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return text("read"), nil
	})
	add("get-Now", "Tells.", false, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return text("now"), nil
	})
	add("look", "Looks.", true, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return text("seen"), nil
	})
	add("picture", "Shows a picture.", false, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{
			&sdk.TextContent{Text: "look"},
			&sdk.ImageContent{Data: PNG, MIMEType: "image/png"},
			&sdk.AudioContent{Data: []byte("RIFF"), MIMEType: "audio/wav"},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///a.bin", MIMEType: "application/x-a", Blob: []byte{0, 1, 2}}},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///a.txt", MIMEType: "text/plain", Text: "words"}},
			&sdk.ResourceLink{URI: "https://example.org/a", Name: "a"},
		}}, nil
	})
	add("hang", "Waits.", false, func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		os.WriteFile("deed/hanging", nil, 0o644)
		<-ctx.Done()
		os.WriteFile("deed/canceled", nil, 0o644)
		return text("canceled"), nil
	})
	add("die", "Ends.", false, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		os.Stderr.WriteString("it dies now\n")
		os.Exit(3)
		return nil, nil
	})
	add("grow", "Changes the list.", false, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		t := *none
		t.Name, t.Description = "grown", "Is new."
		s.RemoveTools("echo")
		s.AddTool(&t, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return text("new"), nil })
		return text("grown"), nil
	})
}
