package anthropic

import (
	"bytes"
	"testing"

	"vibey/provider/wire/foldtest"
)

func TestFold(t *testing.T) {
	foldtest.Run(t, foldtest.Adapter{
		API: api, Coder: coder{}, Body: Body, Hint: hint, Tail: `]}]}`,
		Sent: func(body []byte, native string) bool { return bytes.Contains(body, []byte(native)) },
	})
}
