package server

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/server/project"
	"vibey/tools/disk"
)

func (s *shop) snapshot(project, scope string) (names []string, whole []byte) {
	s.t.Helper()
	res, body := s.do(s.request("GET", "/project/"+project+"/snapshot?scope="+scope, nil))
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != zipType || !strings.Contains(res.Header.Get("Content-Disposition"), `"`+project+"-"+scope+"-20") {
		s.t.Fatalf("%d %v", res.StatusCode, res.Header)
	}
	z, err := zip.NewReader(strings.NewReader(body), int64(len(body)))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, f := range z.File {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	return names, []byte(body)
}

func TestSnapshotsHoldTheirScopeAndComeBack(t *testing.T) {
	s := newShop(t)
	s.write("p/doc-a.md", "a\r\nəəə\n")
	s.write("p/dialog-20260216-201100-x-waiting.md", waitingDialog)
	s.write("p/.20260216-201100-y.open", "half an answer")
	s.write("p/"+disk.TempName("doc-a.md"), "half a doc")
	s.write("p/key.txt", "not ours")
	s.write("p/deed/src/run.sh", "#!/bin/sh\n")
	s.write("p/deed/.git/hooks/post-checkout", "#!/bin/sh\n")
	if err := os.Mkdir(filepath.Join(s.root, "p/deed/empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{"src/run.sh", ".git/hooks/post-checkout"} {
		if err := os.Chmod(filepath.Join(s.root, "p/deed", n), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(s.root, "p/deed/link")); err != nil {
		t.Fatal(err)
	}
	docs := "doc-a.md doc-main.md"
	dialogs := "dialog-20260216-201100-x-waiting.md " + docs
	deed := "deed/ deed/.git/ deed/.git/hooks/ deed/.git/hooks/post-checkout deed/empty/ deed/src/ deed/src/run.sh"
	var whole []byte
	for scope, want := range map[string]string{"docs": docs, "dialogs": dialogs, "all": deed + " " + dialogs} {
		names, body := s.snapshot("p", scope)
		if got := strings.Join(names, " "); got != "LEFT-OUT.txt "+want {
			t.Errorf("%s: %s, want %s", scope, got, want)
		}
		if scope == "all" {
			whole = body
		}
	}
	res, body := s.do(s.request("POST", "/projects?name=again", bytes.NewReader(whole), "Content-Type", zipType))
	const disarmed = "deed/.git/hooks/post-checkout.disarmed"
	if want := "{\"name\":\"again\",\"disarmed\":[\"deed/.git/hooks/post-checkout: is now post-checkout.disarmed\"]}\n"; res.StatusCode != 200 || body != want {
		t.Fatalf("restore: %d %s", res.StatusCode, body)
	}
	for _, name := range []string{"doc-a.md", "doc-main.md", "dialog-20260216-201100-x-waiting.md", "deed/src/run.sh", "deed/.git/hooks/post-checkout"} {
		want, err := os.ReadFile(filepath.Join(s.root, "p", name))
		if err != nil {
			t.Fatal(err)
		}
		if name+".disarmed" == disarmed {
			name = disarmed // git would run it
		}
		got, err := os.ReadFile(filepath.Join(s.root, "again", name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	mode := func(name string) fs.FileMode {
		info, err := os.Stat(filepath.Join(s.root, "again/deed", name))
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode()
	}
	if mode("src/run.sh")&0o100 == 0 || !mode("empty").IsDir() {
		t.Errorf("modes: %v %v", mode("src/run.sh"), mode("empty"))
	}
	if again, _ := s.snapshot("again", "all"); strings.Replace(strings.Join(again, " "), ".disarmed", "", 1) != deed+" "+dialogs {
		t.Errorf("a snapshot of the restored: %v", again)
	}
}

// entry is one entry of a zip made by hand.
type entry struct {
	name string
	mode fs.FileMode
	text string
	n    int64 // that many zero bytes instead
}

func makeZip(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		if e.mode == 0 {
			e.mode = 0o644
		}
		h.SetMode(e.mode)
		w, err := z.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if e.n > 0 {
			_, err = io.Copy(w, &fill{n: e.n})
		} else {
			_, err = io.WriteString(w, e.text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A zip that is no snapshot of ours leaves nothing behind, wherever in it the
// fault is: each has a good entry first.
func TestBadSnapshotsAreRefusedWhole(t *testing.T) {
	testenv.Slow(t)
	s := newShop(t)
	good := entry{name: "doc-a.md", text: "a"}
	bad := func(es ...entry) []byte { return makeZip(t, append([]entry{good}, es...)...) }
	lying := bad(entry{name: "doc-b.md", text: strings.Repeat("b", 1000)})
	damaged := bytes.Clone(lying)
	damaged[bytes.Index(damaged, []byte("doc-b.md"))+len("doc-b.md")+2] ^= 0xff
	many := make([]entry, project.UploadLimits.Entries+1)
	for i := range many {
		many[i] = entry{name: "deed/" + strings.Repeat("x", i%50) + "-" + string(rune('a'+i%26)) + "/"}
	}
	before := treeHash(t, filepath.Dir(s.root))
	for what, body := range map[string][]byte{
		"empty":                     nil,
		"no zip":                    []byte("hello"),
		"half":                      lying[:len(lying)/2],
		"damaged":                   damaged,
		"up and out":                bad(entry{name: "../evil.md", text: "x"}),
		"up within the deed":        bad(entry{name: "deed/../../evil", text: "x"}),
		"absolute":                  bad(entry{name: "/etc/evil.md", text: "x"}),
		"a drive":                   bad(entry{name: `C:\evil.md`, text: "x"}),
		"backslashes":               bad(entry{name: `deed\..\..\evil`, text: "x"}),
		"backslashes in the deed":   bad(entry{name: `deed/..\..\evil`, text: "x"}),
		"a link":                    bad(entry{name: "deed/link", mode: fs.ModeSymlink | 0o777, text: "/etc/passwd"}),
		"the deed as a link":        bad(entry{name: "deed", mode: fs.ModeSymlink | 0o777, text: "/etc"}),
		"a link as a folder":        bad(entry{name: "deed/a/", mode: fs.ModeSymlink | 0o777}),
		"a pipe":                    bad(entry{name: "deed/pipe", mode: fs.ModeNamedPipe | 0o644}),
		"a device":                  bad(entry{name: "deed/null", mode: fs.ModeDevice | fs.ModeCharDevice | 0o666}),
		"the deed as a file":        bad(entry{name: "deed", text: "x"}),
		"another folder":            bad(entry{name: "other/doc-a.md", text: "x"}),
		"a folder named like a doc": bad(entry{name: "doc-x.md/", mode: fs.ModeDir | 0o755}),
		"a file that is no doc":     bad(entry{name: "run.sh", text: "x"}),
		"a hidden file":             bad(entry{name: ".20260216-201100-x.open", text: "x"}),
		"a name of two lines":       bad(entry{name: "deed/a\nb", text: "x"}),
		"a name not in UTF-8":       bad(entry{name: "deed/caf\xe9", text: "x"}),
		"a long name":               bad(entry{name: "deed/" + strings.Repeat("a/", 300) + "b", text: "x"}),
		"twice":                     bad(good),
		"twice in capitals":         bad(entry{name: "DOC-A.md", text: "x"}),
		"twice in the deed":         bad(entry{name: "deed/A/x", text: "1"}, entry{name: "deed/a/X", text: "2"}),
		"a file and a folder":       bad(entry{name: "deed/a", text: "x"}, entry{name: "deed/a/b", text: "x"}),
		"a folder and a file":       bad(entry{name: "deed/a/b", text: "x"}, entry{name: "deed/a", text: "x"}),
		"two files of one dialog":   bad(entry{name: "dialog-20260216-201100-x-done.md"}, entry{name: "dialog-20260216-201100-x-waiting.md"}),
		"an entry too large":        bad(entry{name: "deed/zeros", n: int64(project.UploadLimits.Total) + 1}),
		"too many":                  makeZip(t, many...),
	} {
		res, got := s.do(s.request("POST", "/projects?name=q", bytes.NewReader(body), "Content-Type", zipType))
		if res.StatusCode != 400 || !strings.Contains(got, "problem:bad-zip") || !strings.Contains(got, "Nothing was made") {
			t.Errorf("%s: %d %s", what, res.StatusCode, got)
		}
		if now := treeHash(t, filepath.Dir(s.root)); now != before {
			t.Fatalf("%s: something is left behind", what)
		}
	}
	// What is one name on a disk that knows no capitals, as a file, as a folder, and both.
	for _, c := range [][2]string{{"a", "A"}, {"readme.MD", "README.md"}, {"é", "É"}, {"я", "Я"}, {"σ", "ς"}, {"Σ", "ς"}, {"ſ", "S"}, {"k", "\u212a"}, {"å", "\u212b"}, {"µ", "μ"}, {"ǆ", "ǅ"}, {"ẞ", "ß"}, {"ⓐ", "Ⓐ"}, {"𐐨", "𐐀"}, {"ﬅ", "ﬆ"}} {
		if c[0] == "ﬅ" != !strings.EqualFold(c[0], c[1]) {
			t.Fatalf("%q", c) // the last two are no capitals of one another
		}
		for _, form := range [][2]string{{"deed/%s", "deed/%s"}, {"deed/%s/x", "deed/%s/y"}, {"deed/%s", "deed/%s/y"}, {"deed/%s/x", "deed/%s/"}, {"deed/b/%s.txt", "deed/B/%s.txt"}, {"deed/x/%s/y/1", "deed/x/%s/z/2"}} {
			one, two := entry{name: fmt.Sprintf(form[0], c[0])}, entry{name: fmt.Sprintf(form[1], c[1])}
			res, got := s.do(s.request("POST", "/projects?name=q", bytes.NewReader(bad(one, two)), "Content-Type", zipType))
			if c[0] == "ﬅ" && form[0] != "deed/b/%s.txt" {
				s.json("DELETE", "/projects/q", "", 204) // it was made
			} else if res.StatusCode != 400 || !strings.Contains(got, "capitals") {
				t.Errorf("%s and %s: %d %s", one.name, two.name, res.StatusCode, got)
			}
		}
	}
	fine := makeZip(t, good)
	if res, _ := s.do(s.request("POST", "/projects?name=P", bytes.NewReader(fine), "Content-Type", zipType)); res.StatusCode != 409 {
		t.Errorf("a name that is taken: %d", res.StatusCode)
	}
	if now := treeHash(t, filepath.Dir(s.root)); now != before {
		t.Error("a refused restore changed what is there")
	}
	if res, got := s.do(s.request("POST", "/projects?name=q", bytes.NewReader(fine), "Content-Type", zipType)); res.StatusCode != 200 {
		t.Errorf("a good one: %d %s", res.StatusCode, got)
	}
	if got := strings.Join(get[[]string](s, "/project/q/files"), " "); !strings.Contains(got, "doc-main.md") || !strings.Contains(got, "doc-a.md") {
		t.Errorf("restored: %s", got)
	}
}
