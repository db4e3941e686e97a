package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// No test here builds the image. What can be known of it without an engine is:
// what it copies is there, what it sets is read, and it is closed as promised.
func TestContainerFiles(t *testing.T) {
	docker, compose := topFile(t, ".container/Dockerfile"), topFile(t, ".container/compose.yaml")
	mod, server, pack := topFile(t, "go.mod"), topFile(t, "tools/sandbox/build_linux.go"), topFile(t, "client/package.json")
	for _, m := range regexp.MustCompile(`(?m)^COPY ((?:[^-\s]\S* )+)\S+$`).FindAllStringSubmatch(docker, -1) {
		for _, from := range strings.Fields(m[1]) {
			if _, err := os.Stat(filepath.Join("..", "..", from)); err != nil {
				t.Error(err)
			}
		}
	}
	goVersion := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(mod)[1]
	port := regexp.MustCompile(`VIBEY_ADDR=0\.0\.0\.0:(\d+)`).FindStringSubmatch(docker)
	pages := regexp.MustCompile(`"--preview-addr", "0\.0\.0\.0:(\d+)"`).FindStringSubmatch(docker)
	if port == nil || pages == nil {
		t.Fatal("the image does not say where it listens")
	}
	for _, c := range []struct{ file, text, word string }{
		{"Dockerfile", docker, "FROM golang:" + goVersion + "-"},
		{"Dockerfile", docker, "npm run --silent build"},
		{"package.json", pack, `"build":`},
		{"Dockerfile", docker, "VIBEY_CONTAINER=1"},
		{"sandbox", server, `"VIBEY_CONTAINER"`},
		{"Dockerfile", docker, "touch /etc/vibey-container"},
		{"sandbox", server, `"/etc/vibey-container"`},
		{"Dockerfile", docker, "\nUSER vibey\n"},
		{"Dockerfile", docker, "\nEXPOSE " + port[1] + " " + pages[1] + "\n"},
		{"Dockerfile", docker, `ENTRYPOINT ["vibey"]`},
		{"compose.yaml", compose, `- "127.0.0.1:` + port[1] + ":" + port[1] + `"`},
		{"compose.yaml", compose, `- "127.0.0.1:` + pages[1] + ":" + pages[1] + `"`},
		{"compose.yaml", compose, "cap_drop: [ALL]"},
		{"compose.yaml", compose, "no-new-privileges:true"},
		{"compose.yaml", compose, "state:/state"},
		{"compose.yaml", compose, ":/projects"},
	} {
		if !strings.Contains(c.text, c.word) {
			t.Errorf("%s lacks %q", c.file, c.word)
		}
	}
	if u := strings.LastIndex(docker, "\nUSER "); u < strings.LastIndex(docker, "\nRUN ") {
		t.Error("something runs as root behind the last USER")
	}
	if strings.Contains(compose, "docker.sock") || strings.Contains(compose, "privileged:") || strings.Count(compose, "127.0.0.1:") != 2 || strings.Contains(compose, "0.0.0.0:") {
		t.Error("compose.yaml opens more than it promises")
	}
	for _, e := range matches(envWord, docker) {
		if e != "VIBEY_CONTAINER" && !strings.Contains(topFile(t, "cmd/vibey/config.go")+topFile(t, "cmd/vibey/serve.go"), `env:"`+e+`"`) {
			t.Errorf("nobody reads %s", e)
		}
	}
}
