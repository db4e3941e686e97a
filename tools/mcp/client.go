package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// open begins a session over a transport. It offers a server nothing: no folders, no
// model, no question to the human. changed is called when the server says that its list
// of tools has changed.
func open(ctx context.Context, over sdk.Transport, changed func()) (*sdk.ClientSession, error) {
	client := sdk.NewClient(&sdk.Implementation{Name: "vibey", Version: "1"}, &sdk.ClientOptions{
		Capabilities:           &sdk.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { changed() },
		MultiRoundTrip:         &sdk.MultiRoundTripOptions{Disabled: true},
	})
	return client.Connect(ctx, over, nil)
}
