package anthropic

import (
	"testing"

	"vibey/provider"
	"vibey/provider/wire"
	"vibey/provider/wire/foldtest"
)

func BenchmarkToken(b *testing.B) {
	foldtest.Tokens(b, func(c provider.Config) provider.Provider { return New(c) },
		"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
		"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"word \"}}\n\n",
		"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n")
}

func BenchmarkRound(b *testing.B) {
	foldtest.Rounds(b, func(r *provider.Request) int64 {
		e := wire.Encode(coder{}, r)
		e.Prefix()
		return body(r, e).Len()
	})
}
