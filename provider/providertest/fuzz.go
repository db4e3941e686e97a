package providertest

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"vibey/dialog"
	"vibey/provider"
)

// Fuzz feeds any bytes as a stream to the provider that makes returns, the
// fixtures being the seeds. Whatever comes: it ends with a Finish or an error,
// with nothing behind either; native blocks are JSON objects; and how the bytes
// were cut does not matter.
func Fuzz(f *testing.F, makes func(*http.Client) provider.Provider) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatalf("no testdata/*.txtar: %v", err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(Part(a, "stream"))
	}
	f.Fuzz(func(t *testing.T, stream string) {
		whole := play(t, makes, Answer{Body: stream})
		if pieces := play(t, makes, Answer{Body: stream, Chunk: 3}); pieces != whole {
			t.Errorf("in pieces:\n%s\nwhole:\n%s", pieces, whole)
		}
		lines := strings.Split(strings.TrimSuffix(whole, "\n"), "\n")
		for i, line := range lines {
			verb, _, _ := strings.Cut(line, " ")
			last := i == len(lines)-1
			if ends := verb == "finish" || verb == "error"; ends != last {
				t.Errorf("line %d of %d is %q", i+1, len(lines), line)
			}
			if verb != "reasoning" {
				continue
			}
			if _, native, _ := strings.Cut(line, "native="); native != "" && !strings.Contains(native, `native=`) && !dialog.IsObject(native) {
				t.Errorf("not a JSON object: %s", native)
			}
		}
	})
}
