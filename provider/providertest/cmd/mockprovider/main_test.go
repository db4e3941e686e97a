package main

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/provider/providertest"
)

func TestHandler(t *testing.T) {
	server := httptest.NewServer(handler(providertest.New(providertest.Script{})))
	defer server.Close()
	r, err := http.NewRequest(http.MethodPut, server.URL+"/_script", strings.NewReader(`{"models":["other"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := http.DefaultClient.Do(r); err != nil {
		t.Fatal(err)
	}
	resp, err := http.Get(server.URL + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	if !strings.Contains(string(body), `"other"`) {
		t.Errorf("the script was not replaced: %s", body)
	}
}

// The first line that it prints is its URL, and a broken script stops it.
func TestRun(t *testing.T) {
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = in
	go run("127.0.0.1:0", "")
	line, err := bufio.NewReader(out).ReadString('\n')
	os.Stdout = stdout
	if err != nil || !strings.HasPrefix(line, "http://127.0.0.1:") {
		t.Fatalf("%q, %v", line, err)
	}
	resp, err := http.Get(strings.TrimSpace(line) + "/_bodies")
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("%v, %v", resp, err)
	}
	bad := filepath.Join(t.TempDir(), "s.json")
	if err := os.WriteFile(bad, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run("127.0.0.1:0", bad); err == nil || !strings.Contains(err.Error(), "s.json") {
		t.Errorf("a broken script: %v", err)
	}
}
