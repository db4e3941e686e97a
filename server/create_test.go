package server

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Of those who make one file at the same time with "If-None-Match: *", one is
// acknowledged, and its text stands there.
func TestOneOfTwoMakersIsAcknowledged(t *testing.T) {
	s := newShop(t)
	const makers = 4
	for round := range 60 {
		path := fmt.Sprintf("doc-%d.md", round)
		var status [makers]int
		var begin, done sync.WaitGroup
		begin.Add(1)
		for i := range makers {
			done.Go(func() {
				r := s.request("POST", "/project/p/file/"+path, strings.NewReader(fmt.Sprintf(`{"content":"maker %d"}`, i)), "Content-Type", "application/json", "If-None-Match", "*")
				begin.Wait()
				res, _ := s.do(r)
				status[i] = res.StatusCode
			})
		}
		begin.Done()
		done.Wait()
		text, err := os.ReadFile(filepath.Join(s.root, "p", path))
		if err != nil {
			t.Fatal(err)
		}
		made := 0
		for i, st := range status {
			switch {
			case st == 200:
				if made++; string(text) != fmt.Sprintf("maker %d", i) {
					t.Errorf("round %d: %d is acknowledged, and %q stands there", round, i, text)
				}
			case st != 409:
				t.Errorf("round %d: %d", round, st)
			}
		}
		if made != 1 {
			t.Fatalf("round %d: %d were acknowledged", round, made)
		}
	}
}

// What stands there and is no file is not made either, and the two conditions
// don't go together.
func TestMakingWhereSomethingStands(t *testing.T) {
	s := newShop(t)
	s.write("p/doc-a.md", "first")
	lost := decode[problemDetails](t, s.json("POST", "/project/p/file/doc-a.md", `{"content":"mine"}`, 409, "If-None-Match", "*"))
	if **lost.Current != "first" || *lost.Yours != "mine" {
		t.Errorf("%+v", lost)
	}
	if err := os.Mkdir(filepath.Join(s.root, "p/doc-b.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.json("POST", "/project/p/file/doc-b.md", `{"content":"x"}`, 409, "If-None-Match", "*")
	s.json("POST", "/project/p/file/doc-c.md", `{"content":"x"}`, 400, "If-None-Match", "*", "If-Match", "*")
	s.json("POST", "/project/p/file/doc-c.md", `{"content":"x"}`, 400, "If-None-Match", `"x"`)
	s.json("GET", "/project/p/file/doc-c.md", "", 404)
}

// Two docs whose names differ in capitals alone would be one on other disks.
func TestNamesAreUniqueWithoutCase(t *testing.T) {
	s := newShop(t)
	s.json("POST", "/project/p/file/doc-a.md", `{"content":"first"}`, 200)
	for _, name := range []string{"Doc-a.md", "DOC-A.MD", "doc-A.md"} {
		want := 409
		if strings.HasSuffix(name, "MD") {
			want = 400 // not a doc's name at all
		}
		s.json("POST", "/project/p/file/"+name, `{"content":"second"}`, want)
		s.json("POST", "/project/p/file/"+name, `{"content":"second"}`, want, "If-None-Match", "*")
	}
	s.json("POST", "/project/p/file/doc-a.md", `{"content":"again"}`, 200)
}

// An If-Match without a value, as of a script whose variable is empty, is no
// permission to write over what stands there.
func TestEmptyMatchIsRefused(t *testing.T) {
	s := newShop(t)
	for _, header := range []string{"If-Match", "If-None-Match"} {
		s.json("POST", "/project/p/file/doc-main.md", `{"content":"mine"}`, 400, header, " ")
	}
	if got := decode[fileText](t, s.json("GET", "/project/p/file/doc-main.md", "", 200)); got.Content == "mine" {
		t.Error("it was written")
	}
}
