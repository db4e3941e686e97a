// Command mockprovider serves a scripted provider for tests that need a process
// of their own, such as those in a browser:
//
//	mockprovider --script replies.json
//
// It prints its URL as the first line. The script is a providertest.Script as
// JSON; PUT /_script replaces it, GET /_bodies gives the requests so far,
// DELETE /_bodies forgets them.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"

	"vibey/provider/providertest"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "where to listen")
	file := flag.String("script", "", "a JSON file with the script; without it every reply is the same")
	flag.Parse()
	if err := run(*addr, *file); err != nil {
		fmt.Fprintln(os.Stderr, "mockprovider:", err)
		os.Exit(1)
	}
}

func run(addr, file string) error {
	var script providertest.Script
	if file != "" {
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(b, &script); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", l.Addr())
	return http.Serve(l, handler(providertest.New(script)))
}

// handler adds the one route that only a process needs.
func handler(m *providertest.Mock) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", m)
	mux.HandleFunc("PUT /_script", func(w http.ResponseWriter, r *http.Request) {
		var s providertest.Script
		if err := json.NewDecoder(r.Body).Decode(&s); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		m.Play(s)
	})
	return mux
}
