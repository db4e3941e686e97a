package wire

import "strings"

// noTools are the words, in small letters, by which servers of Chat Completions say
// that they take no tools, for a model or as they were started. No two agree on a
// status or a code: llama.cpp calls it a 500, OpenRouter a 404, Ollama a 400 with the
// type of a fault of its own.
//
// Sources, read 2026-11-22: ollama/ollama#11131; ggml-org/llama.cpp#10920 and
// containers/ramalama#988 (without --jinja); vllm-project/vllm#9986;
// evalstate/fast-agent#122 (OpenRouter); dnakov/anon-kode#10 (DeepSeek);
// BerriAI/litellm#10313 (Gemini); labring/FastGPT#4031.
var noTools = []string{
	"does not support tools",                // Ollama
	"tools param requires --jinja",          // llama.cpp
	"unsupported param: tools",              // llama.cpp before 2025
	"tool choice requires --enable-auto",    // vLLM
	"endpoints found that support tool use", // OpenRouter
	"does not support function calling",     // DeepSeek
	"function calling is not enabled",       // Gemini
	"function call is not supported",
}

// saysNoTools reports whether words, in small letters, are a server's refusal of tools.
func saysNoTools(words string) bool {
	for _, w := range noTools {
		if strings.Contains(words, w) {
			return true
		}
	}
	return false
}
