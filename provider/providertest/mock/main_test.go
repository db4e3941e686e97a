package main

import (
	"bufio"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The first line that it prints is its URL, and a broken script stops it.
func TestProvider(t *testing.T) {
	script := func(text string) string {
		file := filepath.Join(t.TempDir(), "s.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = in
	go provider(script("{}"))
	line, err := bufio.NewReader(out).ReadString('\n')
	os.Stdout = stdout
	if err != nil || !strings.HasPrefix(line, "http://127.0.0.1:") {
		t.Fatalf("%q, %v", line, err)
	}
	resp, err := http.Get(strings.TrimSpace(line) + "/_bodies")
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("%v, %v", resp, err)
	}
	if err := provider(script("{")); err == nil || !strings.Contains(err.Error(), "s.json") {
		t.Errorf("a broken script: %v", err)
	}
}
