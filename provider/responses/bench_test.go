package responses

import (
	"testing"

	"vibey/provider"
	"vibey/provider/wire"
	"vibey/provider/wire/foldtest"
)

func BenchmarkToken(b *testing.B) {
	foldtest.Tokens(b, func(c provider.Config) provider.Provider { return New(c) }, "",
		"event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":4,\"item_id\":\"msg_68a5b3cb1cd0819f8a1c1b8ef0a3a1f50\",\"output_index\":0,\"content_index\":0,\"delta\":\"word \",\"logprobs\":[],\"obfuscation\":\"x8Kq\"}\n\n",
		"data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n")
}

func BenchmarkRound(b *testing.B) {
	foldtest.Rounds(b, func(r *provider.Request) int64 {
		e := wire.Encode(coder{}, r)
		e.Prefix()
		return body(r, e, extras{}).Len()
	})
}
