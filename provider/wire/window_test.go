package wire

import "testing"

// The window that a refusal names is found in the words of each server.
func TestWindowIn(t *testing.T) {
	for words, want := range map[string]int{
		"prompt is too long: 212345 tokens > 200000 maximum":                                                               200000,
		"input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or max_tokens": 200000,
		"This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.":          128000,
		"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).":                          1048576,
		"This model's maximum prompt length is 131072 but the request contains 537812 tokens.":                             131072,
		"The decoder prompt (length 5000) is longer than the maximum model length of 4096.":                                4096,
		"the request exceeds the available context size (4096 tokens), try increasing it":                                  4096,
		"The model is loaded with context length of only 4096 tokens, which is not enough":                                 4096,
		"Your request exceeded model token limit: 262144":                                                                  262144,
		"Range of input length should be [1, 129024]":                                                                      129024,
		"Your input exceeds the context window of this model. Please adjust your input and try again.":                     0,
		"x": 0,
	} {
		if got := windowIn(words); got != want {
			t.Errorf("%q: %d, want %d", words, got, want)
		}
	}
}
