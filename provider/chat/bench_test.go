package chat

import (
	"testing"

	"vibey/provider"
	"vibey/provider/wire"
	"vibey/provider/wire/foldtest"
)

func BenchmarkToken(b *testing.B) {
	foldtest.Tokens(b, func(c provider.Config) provider.Provider { return New(c) }, "",
		"data: {\"id\":\"chatcmpl-BzT7sW9\",\"object\":\"chat.completion.chunk\",\"created\":1760000000,\"model\":\"gpt-5.4-2026-03-05\",\"service_tier\":\"default\",\"system_fingerprint\":null,\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word \"},\"logprobs\":null,\"finish_reason\":null}],\"usage\":null}\n\n",
		"data: [DONE]\n\n")
}

func BenchmarkRound(b *testing.B) {
	foldtest.Rounds(b, func(r *provider.Request) int64 {
		e := wire.Encode(coder{}, r)
		e.Prefix()
		return body(r, e).Len()
	})
}
