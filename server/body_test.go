package server

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

// What the strict reader takes, the library takes too, and reads the same: it
// only ever refuses more.
func FuzzDecodeObject(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"dialogId":"x","prompt":"a","control":null}`, `{"prompt":{"text":"a"}}`, `{"prompt":7}`, `{"continue":true,"continue":false}`,
		`{"dialogId":"\ud83d\ude00"}`, `{"dialogId":"\ud83d"}`, ` {"seen" : "\u0000"} `, `{"x":[[[[]]]]}`, `[`, `{"a"`, "\ufeff{}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var got, want changeBody
		if decodeObject(body, &got) != nil {
			return
		}
		dec := json.NewDecoder(bytes.NewReader(body))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&want); err != nil {
			t.Fatalf("%q is taken, but is %v", body, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: %+v, the library has %+v", body, got, want)
		}
	})
}
