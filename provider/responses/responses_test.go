package responses

import (
	"bytes"
	"testing"

	"vibey/provider/wire/foldtest"
)

func TestFold(t *testing.T) {
	foldtest.Run(t, foldtest.Adapter{
		API: api, Coder: coder{}, Body: Body, Tail: `]}`,
		Sent: func(body []byte, native string) bool { return bytes.Contains(body, []byte(native)) },
	})
}
