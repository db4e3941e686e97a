package wire

import "strings"

// noPictures are the words, in small letters, by which servers say that a model takes no
// pictures, whatever its list of models, a table or a human says. As with tools, no two agree
// on a status: llama.cpp calls it a 500, OpenRouter a 404.
//
// Sources, read 2026-11-29: goose#5396 (OpenRouter); ClaraVerse#234 (llama.cpp without an
// mmproj); kortix-ai/suna#646 (vLLM); the others by the words of their own code and docs.
var noPictures = []string{
	"endpoints found that support image input",     // OpenRouter
	"image input is not supported",                 // llama.cpp
	"is not a multimodal model",                    // vLLM
	"at most 0 image(s)",                           // vLLM
	"missing data required for image input",        // Ollama
	"does not support image",                       // LM Studio and others
	"image input is not enabled",                   // Mistral
	"image_url is only supported by",               // OpenAI
	"unknown variant `image_url`, expected `text`", // DeepSeek
}

// saysNoPictures reports whether words, in small letters, are a server's refusal of pictures.
func saysNoPictures(words string) bool {
	for _, w := range noPictures {
		if strings.Contains(words, w) {
			return true
		}
	}
	return false
}
