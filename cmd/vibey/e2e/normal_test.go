package e2e

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// What differs between two runs of the same flow: ids and times, what follows
// from them, and the folder that a run stands in.
var (
	idTime    = regexp.MustCompile(`20\d{6}([-_])\d{6}`)
	isoTime   = regexp.MustCompile(`\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	milli     = regexp.MustCompile(`\bms=\d+`)
	mac       = regexp.MustCompile(`(?m)(^> Mac: |mac:)[0-9a-f]{64}$`)
	prefix    = regexp.MustCompile(`(?m)^> Prefix: [0-9a-f]{64}$`) // over results, in which times stand
	projectID = regexp.MustCompile(`(?m)^[0-9a-f]{32}$`)           // all that stands in a project's .id
	signature = regexp.MustCompile(`\b(sig|enc)_[0-9a-f]{20,}`)    // the mock's, over the prefix
)

// normal is a text without what may differ.
func (p *place) normal(text string) string {
	text = strings.ReplaceAll(text, filepath.Dir(p.dir), "BASE")
	text = idTime.ReplaceAllString(text, "DATE${1}TIME")
	text = isoTime.ReplaceAllString(text, "TIME")
	text = milli.ReplaceAllString(text, "ms=N")
	text = mac.ReplaceAllString(text, "${1}MAC")
	text = projectID.ReplaceAllString(text, "PROJECT")
	text = signature.ReplaceAllString(text, "${1}_SIGNATURE")
	return prefix.ReplaceAllString(text, "> Prefix: PREFIX")
}

// files is everything below the folder of projects: name and text, normal, in
// the order of the normal names.
func (p *place) files() string {
	p.t.Helper()
	var all []string
	err := filepath.WalkDir(p.dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && path == filepath.Join(p.dir, ".locks") {
			return fs.SkipDir // they tell which process holds what now
		}
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(p.dir, path)
		all = append(all, "==== "+p.normal(name)+"\n"+p.normal(string(text))+"\n")
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	slices.Sort(all)
	return strings.Join(all, "")
}

// bodies is what the provider got, normal; a request that is not legal fails
// the test. Those that hold first come first: two dialogs at work at the same
// time have no order.
func (p *place) bodies(first string) string {
	p.t.Helper()
	var ours, others strings.Builder
	for i, body := range p.mock.Bodies() {
		if body.Fault != "" {
			p.t.Errorf("request %d is not legal: %s\n%s", i, body.Fault, body.Text)
		}
		b := &others
		if strings.Contains(body.Text, first) {
			b = &ours
		}
		fmt.Fprintf(b, "==== %s\n%s\n", body.API, p.normal(body.Text))
	}
	return ours.String() + others.String()
}
