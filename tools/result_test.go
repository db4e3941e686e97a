package tools

import (
	"slices"
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
