package layer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
)

// lines are what a reading has, one a line.
func lines(r *Reading) string {
	var b strings.Builder
	for _, c := range r.Changes {
		fmt.Fprintf(&b, "%s %s %s", c.Kind, c.Type, c.Path)
		if c.Mode != "" {
			b.WriteString(" " + c.Mode)
		}
		if c.Before != "" || c.After != "" {
			fmt.Fprintf(&b, " %.4s-%.4s", c.Before, c.After)
		}
		if c.Git {
			b.WriteString(" git")
		}
		if c.Conflict {
			b.WriteString(" conflict")
		}
		b.WriteByte('\n')
	}
	for _, at := range r.Times {
		fmt.Fprintf(&b, "time %s\n", at.Name)
	}
	for _, no := range r.Refused {
		fmt.Fprintf(&b, "refused %s: %s\n", no.Path, no.Why)
	}
	return b.String()
}

// short is how lines write a hash.
func short(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:2])
}

func read(t *testing.T, l *Layer, o Options) *Reading {
	t.Helper()
	r, err := l.Read(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Each case is what the deed has, what the command does, what others do meanwhile, and what
// is read: hashes are written "A".."D" for the texts a to d.
func TestRead(t *testing.T) {
	hashes := strings.NewReplacer("'a'", short("a"), "'b'", short("b"), "'c'", short("c"), "'0'", short(""))
	for _, c := range []struct{ name, deed, command, others, want string }{
		{"nothing", "printf a >f; mkdir d", "cat f; ls d", "", ""},
		{"added", "", "printf a >f; : >empty; ln -s f l; mkdir -p d/e", "", "added folder deed/d 755\nadded folder deed/d/e 755\nadded file deed/empty 644 -'0'\nadded file deed/f 644 -'a'\nadded link deed/l -'f'\n"},
		{"changed", "printf a >f; ln -s a l; mkdir d", "printf b >f; ln -sfn b l; chmod 700 d", "", "changed folder deed/d 700\nchanged file deed/f 644 'a'-'b'\nchanged link deed/l 'a'-'b'\n"},
		{"mode", "printf a >f", "chmod 600 f", "", "changed file deed/f 600 'a'-'a'\n"},
		{"written again", "printf a >f; : >e", "printf b >f; printf a >f; : >e; chmod 600 e; chmod 644 e; touch -d @1 e f", "", "time e\ntime f\n"},
		{"deleted", "printf a >f; mkdir -p d/e; printf b >d/e/g; ln -s a d/l", "rm -r f d", "", "deleted folder deed/d 755\ndeleted folder deed/d/e 755\ndeleted file deed/d/e/g 644 'b'-\ndeleted link deed/d/l 'a'-\ndeleted file deed/f 644 'a'-\n"},
		{"folder made again", "mkdir d; printf a >d/f; printf a >d/g", "rm -r d; mkdir d; printf b >d/f", "", "changed file deed/d/f 644 'a'-'b'\ndeleted file deed/d/g 644 'a'-\n"},
		{"folders made again", "mkdir -p d/e/f; printf a >d/e/f/g; printf a >d/e/g", "rm -r d; mkdir -p d/e/f; printf b >d/e/h", "", "deleted file deed/d/e/f/g 644 'a'-\ndeleted file deed/d/e/g 644 'a'-\nadded file deed/d/e/h 644 -'b'\n"},
		{"renamed", "printf a >f; mkdir d; printf b >d/g", "mv f h; mv d e", "", "deleted folder deed/d 755\ndeleted file deed/d/g 644 'b'-\nadded folder deed/e 755\nadded file deed/e/g 644 -'b'\ndeleted file deed/f 644 'a'-\nadded file deed/h 644 -'a'\n"},
		{"file to folder", "printf a >f", "rm f; mkdir f; printf b >f/g", "", "changed folder deed/f 755 'a'-\nadded file deed/f/g 644 -'b'\n"},
		{"folder to file", "mkdir f; printf b >f/g", "rm -r f; printf a >f", "", "changed file deed/f 644 -'a'\ndeleted file deed/f/g 644 'b'-\n"},
		{"folder to link", "mkdir f e; printf b >f/g", "rm -r f; ln -s e f", "", "changed link deed/f -'e'\ndeleted file deed/f/g 644 'b'-\n"},
		{"copied up and moved into a new folder", "printf a >f", "printf b >f; mkdir n; mv f n/f", "", "deleted file deed/f 644 'a'-\nadded folder deed/n 755\nadded file deed/n/f 644 -'b'\n"},
		{"git", "mkdir -p .git sub b/objects b/refs; : >b/HEAD; printf a >.git/x; printf a >b/x; printf a >o", "printf b >.git/x; printf b >b/x; printf b >o; : >sub/.git", "",
			"changed file deed/.git/x 644 'a'-'b' git\nchanged file deed/b/x 644 'a'-'b'\nchanged file deed/o 644 'a'-'b'\nadded file deed/sub/.git 644 -'0' git\n"},

		{"changed by both", "printf a >f", "printf b >f", "printf c >f", "changed file deed/f 644 'c'-'b' conflict\n"},
		{"the same by both", "printf a >f", "printf b >f", "printf b >f; touch -d @1 f", ""},
		{"deleted and changed", "printf a >f; mkdir d; printf a >d/f", "rm -r f d", "printf c >f; printf c >d/f", "deleted folder deed/d 755 conflict\ndeleted file deed/d/f 644 'c'- conflict\ndeleted file deed/f 644 'c'- conflict\n"},
		{"deleted by both", "printf a >f; mkdir d; printf a >d/f", "rm -r f d", "rm -r f d", ""},
		{"changed and deleted", "printf a >f; mkdir d; printf a >d/f", "chmod 700 d; printf b >f; printf b >d/f", "rm -r f d", "added folder deed/d 700 conflict\nadded file deed/d/f 644 -'b' conflict\nadded file deed/f 644 -'b' conflict\n"},
		{"added by both", "", "printf a >f; mkdir d; printf a >d/f", "printf c >f; mkdir d; printf c >d/f", "changed file deed/d/f 644 'c'-'a' conflict\nchanged file deed/f 644 'c'-'a' conflict\n"},
		{"beside each other", "mkdir d; printf a >d/f", "printf b >d/g; printf b >d/f", "printf c >d/h", "changed file deed/d/f 644 'a'-'b'\nadded file deed/d/g 644 -'b'\n"},
		{"moved to where others made something", "mkdir e; printf a >e/f; printf c >e/h; ln e/h h", "mv e/f f; mv e/h g", "printf b >o", "deleted file deed/e/f 644 'a'-\ndeleted file deed/e/h 644 'c'-\nadded file deed/f 644 -'a'\nadded file deed/g 644 -'c'\n"},
		{"below a folder that was exchanged", "mkdir d n; printf a >d/f; printf c >n/f", "printf b >d/f", "mv d o; mv n d", "changed file deed/d/f 644 'c'-'b' conflict\n"},
		{"replaced and exchanged", "mkdir d n; printf a >d/f; printf c >n/f", "rm -r d; printf b >d", "mv d o; mv n d", "changed file deed/d 644 -'b' conflict\ndeleted file deed/d/f 644 'c'- conflict\n"},
		{"below a folder that became a link", "mkdir d e; printf a >d/f; printf a >e/f", "chmod 700 d; printf b >d/f", "mv d o; ln -s e d", "changed folder deed/d 700 'e'- conflict\nadded file deed/d/f 644 -'b' conflict\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			makers(t, func(t *testing.T, by By) {
				g := newGround(t, by, c.deed)
				l := g.run(c.command)
				g.sh(c.others)
				got := lines(read(t, l, Options{}))
				if want := strings.ReplaceAll(strings.ReplaceAll(hashes.Replace(c.want), "'f'", short("f")), "'e'", short("e")); got != want {
					t.Errorf("%s; %s\n%s\nwant\n%s", c.deed, c.command, got, want)
				}
			})
		})
	}
}

// What the overlay can't tell from something that others removed is kept in one of its places.
func TestReadMoved(t *testing.T) {
	for _, c := range []struct{ command, want string }{
		{"mv e/f f; printf b >>f", "deleted file deed/e/f 644 'a'- conflict\nadded file deed/f 644 -'ab' conflict\n"},
		{"mv e/f f; printf b >g; rm e/h", "deleted file deed/e/f 644 'a'-\ndeleted file deed/e/h 644 'cc'-\nadded file deed/f 644 -'a'\nadded file deed/g 644 -'b'\n"},
	} {
		g := newGround(t, Overlay, "mkdir e; printf a >e/f; printf cc >e/h")
		l := g.run(c.command)
		g.sh("printf b >o")
		want := c.want
		for _, s := range []string{"a", "b", "ab", "cc"} {
			want = strings.ReplaceAll(want, "'"+s+"'", short(s))
		}
		if got := lines(read(t, l, Options{})); got != want {
			t.Errorf("%s\n%s\nwant\n%s", c.command, got, want)
		}
	}
}
