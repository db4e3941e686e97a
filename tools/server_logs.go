package tools

import (
	"context"
	"fmt"
	"strings"

	"vibey/tools/sandbox"
)

type serverInput struct {
	Port        int    `json:"port" jsonschema:"minimum=1,maximum=65535"`
	Description string `json:"description,omitempty"`
}

// served is the body of the results of server_logs and stop_server.
type served struct {
	Success  bool   `json:"success"`
	Port     int    `json:"port"`
	Running  bool   `json:"running"`
	ExitCode *int   `json:"exitCode,omitempty"` // once it has ended
	Output   string `json:"output" mask:"text"`
	Dropped  int64  `json:"droppedBytes,omitempty"`
	Sandbox  string `json:"sandbox"`
}

// findServer returns the project's server on that port, or why there is none.
func findServer(env Env, port int) (*sandbox.Server, Result) {
	var ports []string
	for _, s := range env.Sandbox.Servers(env.ProjectDir) {
		if s.Port == port {
			return s, Result{}
		}
		ports = append(ports, fmt.Sprint(s.Port))
	}
	if len(ports) == 0 {
		return nil, failed(ExecError, "no server of this project runs. Start one with start_server; one that ended has told why in its result.")
	}
	return nil, failed(ExecError, "no server runs on port %d. There are servers on: %s.", port, strings.Join(ports, ", "))
}

func serverLogs(_ context.Context, env Env, in serverInput) Result {
	srv, none := findServer(env, in.Port)
	if srv == nil {
		return none
	}
	out := srv.Output()
	body := &served{
		Success: true, Port: in.Port, Running: srv.Running(), Dropped: out.Dropped,
		Output: strings.ToValidUTF8(string(out.Text), "\uFFFD"), Sandbox: string(env.Sandbox.Level()),
	}
	return Result{Success: true, Sandbox: body.Sandbox, body: body}
}

func stopServer(_ context.Context, env Env, in serverInput) Result {
	srv, none := findServer(env, in.Port)
	if srv == nil {
		return none
	}
	out := srv.Stop()
	body := &served{
		Success: true, Port: in.Port, ExitCode: &out.ExitCode,
		Output: serverOutput(srv), Sandbox: string(env.Sandbox.Level()),
	}
	return Result{Success: true, Sandbox: body.Sandbox, body: body}
}
