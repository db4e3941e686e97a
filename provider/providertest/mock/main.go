// Command mock is a scripted provider, or an agent over ACP, for tests that need a process
// of their own, such as those in a browser:
//
//	mock replies.json
//	vibey serve --agent mock='mock agent came.jsonl script.txt'
//
// The provider prints its URL as the first line. Its script is a providertest.Script as
// JSON; PUT /_script replaces it, GET /_bodies gives the requests so far, DELETE /_bodies
// forgets them. The agent's script is that of a providertest.Agent; each line that comes
// goes to the file before it.
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"

	"vibey/provider/providertest"
)

func main() {
	run := provider
	if len(os.Args) > 1 && os.Args[1] == "agent" {
		run = agent
	}
	if err := run(os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, "mock:", err)
		os.Exit(1)
	}
}

func provider(file string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var script providertest.Script
	if err := json.Unmarshal(b, &script); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", l.Addr())
	return http.Serve(l, providertest.New(script))
}

func agent(file string) error {
	script, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	log, err := os.OpenFile(os.Args[2], os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return (&providertest.Agent{Script: string(script), Log: log}).Play(os.Stdin, os.Stdout)
}
