package effect

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"testing"
)

// The hash is over exactly these bytes: the list as RFC 8785 writes it, sorted by path.
func TestSum(t *testing.T) {
	e := Of([]Change{
		{Path: "deed/b \"q\"\u2028<\x01\b\\b\f", Kind: Added, Type: Folder, Mode: "755"},
		{Path: "deed/a", Kind: Changed, Type: File, Before: "00", After: "11", Mode: "644"},
		{Path: "deed/l", Kind: Deleted, Type: Link, Before: "22"},
	})
	want := `[{"after":"11","before":"00","bytes":0,"kind":"changed","mode":"644","path":"deed/a","type":"file"},` +
		`{"kind":"added","mode":"755","path":"deed/b \"q\"` + "\u2028" + `<\u0001\b\\b\f","type":"folder"},` +
		`{"before":"22","kind":"deleted","path":"deed/l","type":"link"}]`
	if sum := sha256.Sum256([]byte(want)); e.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("the hash is not that of %s", want)
	}
	b, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var back Effect
	if err := json.Unmarshal(b, &back); err != nil || Sum(back.Changes) != e.SHA256 {
		t.Errorf("read again it has another hash (%v): %s", err, b)
	}
	if b, _ := json.Marshal(Of(nil)); string(b) != `{"sha256":"4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945","changes":[]}` {
		t.Errorf("no change: %s", b)
	}
}
