package server

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The project's own page lists the routes that there are, and no others; and it
// names the status of each kind of error, with the kind's name where several share
// one that is no refusal.
func TestPageNamesRoutesAndErrors(t *testing.T) {
	b, err := os.ReadFile("../vibey/vibey/doc-reference.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	var told, there []string
	for _, m := range regexp.MustCompile("`((?:[A-Z]+ )+)(/[^` ?{]*)[^`]*`").FindAllStringSubmatch(page, -1) {
		for method := range strings.FieldsSeq(m[1]) {
			if route := method + " " + m[2]; !slices.Contains(told, route) {
				told = append(told, route)
			}
		}
	}
	word := strings.NewReplacer("/projects/{project}", "/projects/:name", "{project}", ":p", "{name}", ":name", "{id}", ":id", "{call}", ":callId", "{of}", ":of", "{path:.+}", "<path>", "{sha256}", ":sha256")
	for _, r := range routes() {
		if !r.hidden || r.path == "/" {
			there = append(there, r.method+" "+word.Replace(r.path))
		}
	}
	for _, r := range there {
		if !slices.Contains(told, r) {
			t.Errorf("the page does not tell %s", r)
		}
	}
	for _, r := range told {
		if !slices.Contains(there, r) {
			t.Errorf("there is no %s", r)
		}
	}
	_, errors, _ := strings.Cut(page, "Errors are problem details")
	errors, _, _ = strings.Cut(errors, "\n")
	for _, k := range slices.Concat(roomKinds, systemKinds) {
		if !regexp.MustCompile(`\b`+strconv.Itoa(k.status)+`\b`).MatchString(errors) || k.status >= 500 && k.status != 503 && !strings.Contains(errors, "`"+k.name+"`") {
			t.Errorf("the page does not tell of %d %s", k.status, k.name)
		}
	}
}
