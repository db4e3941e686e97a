package change

import (
	"slices"
	"strings"
	"testing"
)

func TestNamed(t *testing.T) {
	for result, want := range map[string][]FileHash{
		`{"success":true,"path":"deed/x","sha256":"aa","replaced":"bb"}`: {{Path: "deed/x", SHA256: "aa"}},
		`{"success":true,"changed":[{"path":"deed/x","sha256":"aa"},{"path":"deed/y","deleted":true}],"stdout":"\"sha256\""}`: {
			{Path: "deed/x", SHA256: "aa"}, {Path: "deed/y", Deleted: true},
		},
		`{"success":false,"error":"…","current":{"path":"deed/x","sha256":"cc"}}`: {{Path: "deed/x", SHA256: "cc"}},
		`{"success":true,"changed":"unknown","stdout":"\"sha256\""}`:              nil,
		`{"success":true,"stdout":"{\"path\":\"deed/x\",\"sha256\":\"aa\"}"}`:     nil,
		`{"success":false,"error":"Denied by user"}`:                              nil,
		`not JSON "sha256"`: nil,
		``:                  nil,
		`["sha256"]`:        nil,
	} {
		if got := Named(result); !slices.Equal(got, want) {
			t.Errorf("Named(%s) = %v", result, got)
		}
	}
}

// Only what we say of a call counts, not what a server answered.
func TestWroteUnknown(t *testing.T) {
	for result, want := range map[string]bool{
		`{"success":true,"changed":"unknown"}`:                                          true,
		`{"success":true,"structured":{"changed":"unknown"}}`:                           false,
		`{"success":true,"structured":{"changed":"unknown"},"changed":"unknown"}`:       true,
		`{"success":true,"content":[{"type":"text","text":"\"changed\":\"unknown\""}]}`: false,
		`{"changed":"unknown"`: false,
	} {
		if got := WroteUnknown(result); got != want {
			t.Errorf("%s: %v", result, got)
		}
	}
}

// A result names what its call wrote, and Wrote tells it from what it only read.
func TestWrote(t *testing.T) {
	for _, c := range []struct{ tool, result, want string }{
		{"write_file", `{"success":true,"path":"a","sha256":"1"}`, "a 1"},
		{"edit_file", `{"success":true,"path":"a","sha256":"1"}`, "a 1"},
		{"read_file", `{"success":true,"path":"a","sha256":"1"}`, ""},
		{"write_file", `{"success":false,"error":"x","current":{"path":"a","sha256":"1"}}`, ""},
		{"run_command", `{"success":false,"changed":[{"path":"a","sha256":"1"},{"path":"b","deleted":true}]}`, "a 1,b gone"},
		{"run_command", `{"success":true,"path":"a","sha256":"1","changed":"unknown"}`, ""},
		{"run_command", `{`, ""},
	} {
		var got []string
		for _, f := range Wrote(c.tool, c.result) {
			if f.Deleted {
				f.SHA256 = "gone"
			}
			got = append(got, f.Path+" "+f.SHA256)
		}
		if s := strings.Join(got, ","); s != c.want {
			t.Errorf("%s %s: %q", c.tool, c.result, s)
		}
	}
}
