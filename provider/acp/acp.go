// Package acp speaks the Agent Client Protocol, version 1, by which a program that
// shows a conversation (a client) drives one that works (an agent). Here are the
// connection, which serves both sides, and the messages; what is done with them is the
// caller's.
//
//	c := acp.NewConn(rw, acp.Config{Handle: func(r *acp.Request) { … r.Reply(result) }})
//	go c.Serve()
//	err := c.Call(ctx, acp.MethodPrompt, acp.PromptParams{…}, &result)
//
// Source: agentclientprotocol.com/protocol/v1, schema of 2026.
//
// The connection is our own and not the Go SDK's, which handles requests and
// notifications in goroutines of their own: there a request for permission can
// overtake the update that tells what it is about.
package acp
