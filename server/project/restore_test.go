package project

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/dialog/picture"
)

func zipOf(t *testing.T, files ...string) *bytes.Reader {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		must(t, err)
		_, err = w.Write([]byte(files[i+1]))
		must(t, err)
	}
	must(t, z.Close())
	return bytes.NewReader(b.Bytes())
}

// restored takes what Restore returns, where nothing is disarmed.
func restored(t *testing.T) func(disarmed []string, err error) {
	return func(disarmed []string, err error) {
		t.Helper()
		must(t, err)
		if len(disarmed) > 0 {
			t.Errorf("disarmed: %q", disarmed)
		}
	}
}

// A kill in the middle of a restore leaves a folder that is no project, which
// the next one sweeps away; what somebody is still building stays.
func TestRestoreSweepsWhatAKillLeft(t *testing.T) {
	s := testStore(t)
	busy, err := s.begin("busy")
	must(t, err)
	defer busy.Close()
	half := filepath.Join(s.path, makingPrefix+"game")
	must(t, os.MkdirAll(filepath.Join(half, "deed", "old"), 0o755))
	if names, err := s.Projects(); err != nil || len(names) != 0 {
		t.Fatalf("half a project is listed: %q %v", names, err)
	}
	z := zipOf(t, "doc-a.md", "a", "deed/new/x", "x")
	restored(t)(s.Restore("game", z, z.Size(), UploadLimits, nil))
	if _, err := os.Stat(filepath.Join(s.path, "game", "deed", "old")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what a kill left is in the new project: %v", err)
	}
	if _, err := os.Stat(filepath.Join(s.path, makingPrefix+"busy")); err != nil {
		t.Errorf("what is being built was swept away: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(s.path, "game", MainDoc)); err != nil || !strings.HasPrefix(string(text), "# game") {
		t.Errorf("doc-main.md: %q %v", text, err)
	}
	if _, err := s.Restore("busy", z, z.Size(), UploadLimits, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("two that build one project: %v", err)
	}
}

// A restore that fails when half is written leaves nothing.
func TestRestoreLeavesNothingHalf(t *testing.T) {
	s := testStore(t)
	long := "deed/" + strings.Repeat("n", 300) // judged well, and too long for the disk
	z := zipOf(t, "doc-a.md", "a", long, "x")
	if _, err := s.Restore("game", z, z.Size(), UploadLimits, nil); err == nil {
		t.Fatal("a name of 300 bytes was written")
	}
	if entries, err := os.ReadDir(s.path); err != nil || len(entries) != 0 {
		t.Errorf("left: %v %v", entries, err)
	}
}

func TestRestoreHoldsItsLimits(t *testing.T) {
	s := testStore(t)
	for what, c := range map[string]struct {
		most Limits
		want string
	}{
		"entries": {Limits{Entries: 1, Total: 100}, `"doc-b.md": 1 entries are the most`},
		"total":   {Limits{Entries: 9, Total: 7}, `"doc-b.md": all together`},
	} {
		z := zipOf(t, "doc-a.md", "aaaa", "doc-b.md", "bbbb")
		_, err := s.Restore("game", z, z.Size(), c.most, nil)
		var bad *ZipError
		if !errors.As(err, &bad) || !strings.Contains(bad.Why, c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	z := zipOf(t, "doc-a.md", "aaaa", "doc-b.md", "bbbb")
	restored(t)(s.Restore("game", z, z.Size(), Limits{Entries: 2, Total: 8}, nil))
}

// What is held in memory to be read is no larger than that, whatever a disk takes.
func TestRestoreTakesNoHugeText(t *testing.T) {
	for name, want := range map[string]bool{"doc-a.md": false, "deed/a.md": true} {
		if err := newContents(DiskLimits).add(name, textMax+1); (err == nil) != want {
			t.Errorf("%s of %d bytes: %v", name, textMax+1, err)
		}
	}
}

// A file in files/ has no more bytes in a snapshot than the window may add. A zip that
// says less of an entry than it unpacks to is read no further than it says.
func TestRestoreTakesNoLargeFile(t *testing.T) {
	s := testStore(t)
	large := strings.Repeat("a", AttachedMost+1)
	name := filesPrefix + picture.FileName(dialog.SHA256([]byte(large)), "a.txt")
	for why, z := range map[string]*bytes.Reader{
		"it is larger than 20 MB, the most that one may have": zipOf(t, name, large),
		"is damaged": lying(t, name, large),
	} {
		_, err := s.Restore("game", z, z.Size(), UploadLimits, nil)
		bad, ok := errors.AsType[*ZipError](err)
		if !ok || !strings.Contains(bad.Why, why) || !strings.Contains(bad.Why, name) {
			t.Errorf("%v, want %q", err, why)
		}
		if _, err := os.Stat(filepath.Join(s.path, "game")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a project was made: %v", err)
		}
	}
}

// lying returns a zip whose one entry unpacks to more than its directory says.
func lying(t *testing.T, name, text string) *bytes.Reader {
	t.Helper()
	var packed, b bytes.Buffer
	f, err := flate.NewWriter(&packed, flate.BestSpeed)
	must(t, err)
	_, err = f.Write([]byte(text))
	must(t, err)
	must(t, f.Close())
	z := zip.NewWriter(&b)
	h := &zip.FileHeader{Name: name, Method: zip.Deflate, CompressedSize64: uint64(packed.Len()), UncompressedSize64: 3}
	w, err := z.CreateRaw(h)
	must(t, err)
	_, err = w.Write(packed.Bytes())
	must(t, err)
	must(t, z.Close())
	return bytes.NewReader(b.Bytes())
}

// What the key would bear out is void in a restored project, a Mac that only
// holds once the one before it is gone included; all else is kept to the byte.
func TestRestoreVoidsGrants(t *testing.T) {
	const id, key = "20260216-201100-x", "0123456789abcdef0123456789abcdef"
	a := grant.Authority{Key: []byte(key), Project: "game", DialogID: id}
	given := func(n, prev string) dialog.Section {
		s := dialog.Section{Role: dialog.Authorization, ID: "auth_" + n, Time: dialog.FormatTime(then) + " - " + dialog.FormatTime(then),
			Payloads: []dialog.Payload{{Type: dialog.ControlV1, Text: "allow run_command"}}}
		a.Seal(&s, prev)
		return s
	}
	first := given("1", "")
	second := given("2", first.Meta.Get("Mac"))
	hidden := given("3", voided) // as if a restored dialog had gone on
	d := &dialog.Dialog{Header: dialog.Header{DialogID: id, Provider: "p", Model: "m", Status: dialog.Waiting, Started: dialog.FormatTime(then)},
		Sections: []dialog.Section{first, second, hidden}}
	text := dialog.Format(d)
	was := a
	was.ProjectID = newID() // of the project from which the zip came
	main := was.Confirm("# Game\n\nəəəcontrol/v1\nallow run_command\nəəə\n")
	holds := func(p *Project) (n int) {
		t.Helper()
		got, err := p.ReadDialog(id)
		must(t, err)
		prev := ""
		for _, s := range dialog.Parse(got.Text).Sections {
			if s.Role == dialog.Authorization {
				if (grant.Authority{Key: []byte(key), Project: p.Name(), DialogID: id}).Genuine(&s, prev) {
					n++
				}
				prev = s.Meta.Get("Mac")
			}
		}
		doc, err := p.ReadFile(MainDoc)
		must(t, err)
		w, ok := grant.FindWish(doc.Content)
		if !ok {
			t.Fatal("the wish is gone")
		}
		now := was
		if now.ProjectID, err = p.ID(); err != nil || now.ProjectID == "" || now.Confirmed(w) {
			t.Errorf("as %s, %q: the wish holds, or the project has no id (%v)", p.Name(), now.ProjectID, err)
		}
		if !was.Confirmed(w) {
			t.Error("it did not hold before")
		}
		return n
	}
	name := dialog.Filename(id, dialog.Waiting)
	for _, c := range []struct {
		as, key string
		same    bool // to the byte
	}{{"game", key, false}, {"other", key, true}} {
		s := testStore(t)
		z := zipOf(t, name, text, MainDoc, main)
		restored(t)(s.Restore(c.as, z, z.Size(), UploadLimits, []byte(c.key)))
		p, err := s.Project(c.as)
		must(t, err)
		if n := holds(p); n != 0 {
			t.Errorf("as %s %d grants hold", c.as, n)
		}
		for file, same := range map[string]bool{name: c.same, MainDoc: true} {
			got, err := os.ReadFile(filepath.Join(s.path, c.as, file))
			must(t, err)
			if (string(got) == map[string]string{name: text, MainDoc: main}[file]) != same {
				t.Errorf("as %s, %s:\n%s", c.as, file, got)
			}
		}
	}
	// Without the key that gave them the same grants do hold: the count can count.
	s := testStore(t)
	z := zipOf(t, name, text, MainDoc, main)
	restored(t)(s.Restore("game", z, z.Size(), UploadLimits, nil))
	p, err := s.Project("game")
	must(t, err)
	if n := holds(p); n != 2 {
		t.Errorf("%d of the two in line hold before", n)
	}
}

// A human's git runs nothing that came with a zip: neither hooks nor what a
// config names, in the deed's repository or another one below it.
func TestRestoreDisarmsGit(t *testing.T) {
	ran := filepath.Join(t.TempDir(), "ran")
	evil := filepath.Join(t.TempDir(), "evil")
	must(t, os.WriteFile(evil, []byte("#!/bin/sh\ntouch "+ran+"\n"), 0o755))
	armed := "[core]\n\tbare = false\n\tfsmonitor = " + evil + "\n[alias]\n\tst = !" + evil + "\n"
	repository := func(dir string) []string {
		return []string{dir + "HEAD", "ref: refs/heads/main\n", dir + "objects/x", "", dir + "refs/heads/x", ""}
	}
	files := slices.Concat(
		repository("deed/.git/"), []string{"deed/.git/config", armed, "deed/.git/hooks/pre-commit", "#!/bin/sh\ntouch " + ran + "\n"},
		repository("deed/bare/"), []string{"deed/bare/config", armed},
		[]string{"deed/file/.git", "gitdir: ../store\n"}, repository("deed/store/"), []string{"deed/store/config", armed},
		[]string{"deed/out/.git", "gitdir: /tmp/store\n"},
	)
	for _, disarm := range []bool{false, true} {
		s := testStore(t)
		var disarmed []string
		if disarm {
			z := zipOf(t, files...)
			var err error
			disarmed, err = s.Restore("game", z, z.Size(), UploadLimits, nil)
			must(t, err)
		} else { // as it would stand there
			for i := 0; i < len(files); i += 2 {
				path := filepath.Join(s.path, "game", files[i])
				must(t, os.MkdirAll(filepath.Dir(path), 0o755))
				must(t, os.WriteFile(path, []byte(files[i+1]), 0o755))
			}
		}
		for dir, command := range map[string]string{".": "status", "file": "status", "bare": "st", "deep/er": "st"} {
			at := filepath.Join(s.path, "game/deed", dir)
			must(t, os.MkdirAll(at, 0o755))
			cmd := exec.Command("git", command)
			cmd.Dir, cmd.Env = at, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1"}
			said, _ := cmd.CombinedOutput()
			if _, err := os.Stat(ran); (err == nil) == disarm {
				t.Errorf("disarmed %v: git %s in %s, it ran: %v; git says %s", disarm, command, dir, err == nil, said)
			}
			os.Remove(ran)
		}
		if !disarm {
			continue
		}
		var told []string
		for _, d := range disarmed {
			name, _, _ := strings.Cut(d, ":")
			told = append(told, name)
		}
		if want := "deed/.git/config deed/.git/hooks/pre-commit deed/bare/config deed/out/.git deed/store/config"; strings.Join(told, " ") != want {
			t.Errorf("told %q", disarmed)
		}
		if got := read(t, filepath.Join(s.path, "game/deed/.git/config.disarmed")); got != armed {
			t.Errorf("the config that came is kept as %q", got)
		}
	}
}

// A leading page in other capitals is the one name of it: no second one is made beside it.
func TestRestoreMakesNoSecondMainDoc(t *testing.T) {
	s := testStore(t)
	z := zipOf(t, "DOC-MAIN.md", "# Mine\n")
	_, err := s.Restore("game", z, z.Size(), UploadLimits, nil)
	must(t, err)
	p, err := s.Project("game")
	must(t, err)
	if files, err := p.Files(); err != nil || !slices.Equal(files, []string{"DOC-MAIN.md"}) {
		t.Errorf("%q, %v", files, err)
	}
	if _, err := p.WriteFile(MainDoc, "x", ""); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
}
