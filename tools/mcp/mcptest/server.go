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
	"errors"
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

func text(s string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
}

type (
	textInput struct {
		Text string `json:"text"`
	}
	nameInput struct {
		Name string `json:"name"`
	}
)

// says adds a tool that answers with a text, or fails in the words of an error.
func says[In any](s *sdk.Server, name, about string, f func(In) (string, error)) {
	sdk.AddTool(s, &sdk.Tool{Name: name, Description: about}, func(_ context.Context, _ *sdk.CallToolRequest, in In) (*sdk.CallToolResult, any, error) {
		said, err := f(in)
		return text(said), nil, err
	})
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
	says(s, "echo", "Says the text again.", func(in textInput) (string, error) { return in.Text, nil })
	says(s, "fail", "Fails.", func(in textInput) (string, error) { return "", errors.New(in.Text) })
	says(s, "big", "Says much.", func(in struct {
		Bytes int `json:"bytes"`
	}) (string, error) {
		return strings.Repeat("a", in.Bytes), nil
	})
	says(s, "env", "Tells a variable.", func(in nameInput) (string, error) { return in.Name + "=" + os.Getenv(in.Name), nil })
	says(s, "keep", "Keeps a variable.", func(in nameInput) (string, error) {
		return "kept", os.WriteFile(os.Getenv("HOME")+"/kept", []byte(os.Getenv(in.Name)), 0o600)
	})
	says(s, "put", "Makes a file.", func(in nameInput) (string, error) {
		return "made " + in.Name, os.WriteFile(in.Name, []byte("made\n"), 0o644)
	})
	type sum struct {
		Sum int `json:"sum"`
	}
	sdk.AddTool(s, &sdk.Tool{Name: "add", Description: "Adds two numbers."}, func(_ context.Context, _ *sdk.CallToolRequest, in struct {
		A int `json:"a"`
		B int `json:"b"`
	}) (*sdk.CallToolResult, sum, error) {
		return nil, sum{in.A + in.B}, nil
	})
	plain(s)
	return s
}

// plain adds the tools without input.
func plain(s *sdk.Server) {
	add := func(name, about string, readOnly bool, f func(context.Context) *sdk.CallToolResult) {
		s.AddTool(&sdk.Tool{Name: name, Description: about, InputSchema: map[string]any{"type": "object"}, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: readOnly}},
			func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return f(ctx), nil })
	}
	add("read file/now", "Reads.", false, func(context.Context) *sdk.CallToolResult { return text("read") })
	add("get-Now", "Tells.", false, func(context.Context) *sdk.CallToolResult { return text("now") })
	add("look", "Looks.", true, func(context.Context) *sdk.CallToolResult { return text("seen") })
	add("picture", "Shows a picture.", false, func(context.Context) *sdk.CallToolResult {
		return &sdk.CallToolResult{Content: []sdk.Content{
			&sdk.TextContent{Text: "look"},
			&sdk.ImageContent{Data: PNG, MIMEType: "image/png"},
			&sdk.AudioContent{Data: []byte("RIFF"), MIMEType: "audio/wav"},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///a.bin", MIMEType: "application/x-a", Blob: []byte{0, 1, 2}}},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///a.txt", MIMEType: "text/plain", Text: "words"}},
			&sdk.ResourceLink{URI: "https://example.org/a", Name: "a"},
		}}
	})
	add("hang", "Waits.", false, func(ctx context.Context) *sdk.CallToolResult {
		os.WriteFile("deed/hanging", nil, 0o644)
		<-ctx.Done()
		os.WriteFile("deed/canceled", nil, 0o644)
		return text("canceled")
	})
	add("die", "Ends.", false, func(context.Context) *sdk.CallToolResult {
		os.Stderr.WriteString("it dies now\n")
		os.Exit(3)
		return nil
	})
	add("grow", "Changes the list.", false, func(context.Context) *sdk.CallToolResult {
		s.RemoveTools("echo")
		add("grown", "Is new.", false, func(context.Context) *sdk.CallToolResult { return text("new") })
		return text("grown")
	})
}
