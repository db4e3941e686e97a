package provider

import (
	"context"
	"strings"
)

// Seer is a Provider whose models may see pictures. One that is none is sent no picture.
type Seer interface {
	// Sees reports whether a model sees pictures: if a human said so, if the server says
	// so, or else by the table, as Sees does. It may ask the server.
	Sees(ctx context.Context, model string) bool
}

// seeing is which models see pictures, where no server says it: by how a model's name begins
// behind its maker's ("openai/"), of several the longest. What is not here does not.
// Sources: the makers' lists of models and ollama.com/search?c=vision, read on asOf.
var seeing = map[string]bool{
	"claude-": true, "claude-instant": false, "claude-2": false, "claude-v": false, "claude-1": false,
	"gpt-4o": true, "gpt-4.1": true, "gpt-4.5": true, "gpt-4-turbo": true, "gpt-5": true, "gpt-6": true, "chatgpt-4o": true,
	"o1": true, "o1-mini": false, "o1-preview": false, "o3": true, "o3-mini": false, "o4": true,
	"gemini-": true, "gemini-embedding": false, "gemma3": true, "gemma3:1b": false, "gemma3:270m": false, "gemma-3": true, "gemma-3-1b": false, "gemma-3-270m": false, "gemma4": true, "gemma-4": true, "paligemma": true,
	"llama3.2-vision": true, "llama-3.2-11b": true, "llama-3.2-90b": true, "llama4": true, "llama-4": true, "llava": true, "bakllava": true, "moondream": true,
	"qwen-vl": true, "qwen2-vl": true, "qwen2.5-vl": true, "qwen2.5vl": true, "qwen3-vl": true, "qwen3vl": true, "qvq": true,
	"pixtral": true, "mistral-small3.1": true, "mistral-small3.2": true, "mistral-small-3.1": true, "mistral-small-3.2": true, "mistral-medium": true, "mistral-large-3": true, "ministral-3": true,
	"grok-2-vision": true, "grok-4": true, "minicpm-v": true, "minicpm-o": true, "internvl": true, "granite3.2-vision": true, "phi-3-vision": true, "phi-3.5-vision": true, "phi-4-multimodal": true,
	"glm-4v": true, "glm-4.1v": true, "glm-4.5v": true, "glm-4.6v": true, "deepseek-vl": true, "deepseek-ocr": true, "kimi-vl": true, "kimi-k2.5": true,
}

// Sees reports whether the table has a model as one that sees pictures.
func Sees(model string) bool {
	name := strings.ToLower(model[strings.LastIndex(model, "/")+1:])
	for n := len(name); n > 0; n-- {
		if sees, ok := seeing[name[:n]]; ok {
			return sees
		}
	}
	return false
}

// MatchesModel reports whether a pattern is of a model of the provider of that name: of its
// id, or of NAME/ID. A star stands for any characters, also none; capitals don't matter.
func MatchesModel(pattern, provider, model string) bool {
	pattern, model = strings.ToLower(pattern), strings.ToLower(model)
	return matches(pattern, model) || matches(pattern, strings.ToLower(provider)+"/"+model)
}

func matches(pattern, text string) bool {
	first, rest, starred := strings.Cut(pattern, "*")
	if !strings.HasPrefix(text, first) {
		return false
	}
	text = text[len(first):]
	if !starred {
		return text == ""
	}
	parts := strings.Split(rest, "*")
	for _, part := range parts[:len(parts)-1] {
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text = text[i+len(part):]
	}
	return strings.HasSuffix(text, parts[len(parts)-1])
}
