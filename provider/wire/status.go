package wire

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"vibey/dialog"
	"vibey/provider"
)

// problem is an API's error object, in any of the forms that are about.
type problem struct {
	Type    string          `json:"type"`
	Code    json.RawMessage `json:"code"` // a string, a number or null
	Message string          `json:"message"`
}

// UnmarshalJSON reads a problem that is an object or, as from Ollama, a string.
func (p *problem) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &p.Message)
	}
	type plain problem
	return json.Unmarshal(b, (*plain)(p))
}

// code is the code as a word, or its type where there is none.
func (p *problem) code() string {
	if c := strings.Trim(string(p.Code), `"`); c != "" && c != "null" {
		return c
	}
	return p.Type
}

// readProblem finds the error in a response's body: {"error":{…}},
// {"error":"…"}, [{"error":{…}}], {"message":"…"}, {"detail":"…"}, or plain text.
func readProblem(body []byte) problem {
	var one struct {
		Error   *problem `json:"error"`
		Message string   `json:"message"`
		Detail  any      `json:"detail"`
		Type    string   `json:"type"`
	}
	text := strings.TrimSpace(string(body))
	if inner, ok := strings.CutPrefix(text, "["); ok {
		text = strings.TrimSuffix(inner, "]")
	}
	if json.Unmarshal([]byte(text), &one) != nil {
		if strings.HasPrefix(text, "<") {
			return problem{} // a page for a browser
		}
		return problem{Message: text}
	}
	if one.Error != nil {
		return *one.Error
	}
	p := problem{Type: one.Type, Message: one.Message}
	if s, ok := one.Detail.(string); ok && p.Message == "" {
		p.Message = s
	}
	return p
}

// Problem makes an error of an error object that came in a stream, which has
// no status. raw is the object.
func (c *Call) Problem(raw []byte) *provider.Error {
	var p problem
	if json.Unmarshal(raw, &p) != nil {
		p.Message = string(raw)
	}
	return c.failure(0, p, 0)
}

// statusError makes an error of a response that is no stream.
func (c *Call) statusError(r *http.Response, body []byte) *provider.Error {
	return c.failure(r.StatusCode, readProblem(body), retryAfter(r.Header, time.Now()))
}

// failure sorts what went wrong and says it plainly.
func (c *Call) failure(status int, p problem, after time.Duration) *provider.Error {
	e := &provider.Error{Kind: kindOf(status, p), Status: status, RetryAfter: after}
	name := c.Name
	switch e.Kind {
	case provider.KindAuth:
		e.Message = name + " refused the key, or the key may not do this. Check it, then continue."
	case provider.KindCredit:
		e.Message = name + " says that there is nothing left to pay with, or that a spend limit is reached. Nothing was tried again. Top up or raise the limit there, then continue."
	case provider.KindRateLimit:
		e.Message = name + " says that these are too many requests for now. Wait a little, then continue."
	case provider.KindBusy:
		e.Message = name + " is overloaded or has trouble of its own. The dialog is safe; continue in a while."
	case provider.KindTooLong:
		e.Window = windowIn(p.Message)
		e.Message = "The dialog does not fit the model's window any more. Compact it, or go on with a model that has a larger one."
	case provider.KindNotFound:
		e.Message = name + " knows no such model or address. Choose another model, or check the base URL."
		if c.canPull(p.Message) {
			e.Message = name + " has no model " + c.Model + ". Get it with `ollama pull " + c.Model + "` where Ollama runs, then continue, or choose another model."
		}
	case provider.KindNoTools:
		e.Message = name + " has no tools for this model. Choose another model, or begin a dialog with a provider of the API tags, which needs none (--provider NAME=tags,BASE_URL)."
	case provider.KindNoPictures:
		e.Message = name + " takes no pictures for this model. Choose another model, or send the message without them."
	default:
		e.Message = name + " refused the request as it is."
		if status >= 300 && status < 400 {
			e.Message = name + " answered with a redirect, which is not followed, so that the key stays with it. Put the final address in as the base URL."
		}
	}
	if after > 0 {
		e.Message += " It asks to wait " + roundUp(after) + "."
	}
	if words := c.quote(p.Message); words != "" {
		e.Message += ` It said: "` + words + `"`
	}
	return e
}

// canPull reports whether a model that was not found is one that Ollama could get, by
// what it said or by its port. The name stands in a command that a human types.
func (c *Call) canPull(words string) bool {
	u, err := url.Parse(c.BaseURL)
	ollama := err == nil && u.Port() == "11434" || strings.Contains(words, "try pulling it")
	return ollama && strings.Contains(words, "not found") && modelName.MatchString(c.Model)
}

var modelName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/-]*$`)

func roundUp(d time.Duration) string {
	s := int64((d + time.Second - 1) / time.Second)
	if s < 120 {
		return strconv.FormatInt(s, 10) + " s"
	}
	return strconv.FormatInt((s+59)/60, 10) + " min"
}

var keyLike = regexp.MustCompile(`\b(sk|pk|rk|gsk|xai|key)-[A-Za-z0-9_\-*.]{6,}|\bAIza[A-Za-z0-9_-]{10,}`)

// quote makes one line of a provider's words, in which no key is left.
func (c *Call) quote(s string) string {
	if key := c.Secret(); len(key) >= 4 {
		s = strings.ReplaceAll(s, key, "(key)")
	}
	s = keyLike.ReplaceAllString(s, "(key)")
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\ufffd")), " ")
	return dialog.Cut(s, 401)
}

// kindOf sorts an error by its status, code and words. The words come last,
// since only they tell some cases apart: Anthropic reports an empty account as
// a 400 invalid_request_error, and no two servers name a full window alike.
func kindOf(status int, p problem) provider.Kind {
	code, words := p.code(), strings.ToLower(p.Message)
	switch code {
	case "insufficient_quota", "billing_error", "billing_hard_limit_reached", "billing_not_active":
		return provider.KindCredit
	case "authentication_error", "permission_error", "invalid_api_key":
		return provider.KindAuth
	case "context_length_exceeded", "exceed_context_size_error", "request_too_large", "string_above_max_length":
		return provider.KindTooLong
	case "model_not_found", "not_found_error":
		return provider.KindNotFound
	}
	for _, part := range []string{"credit balance", "insufficient balance", "insufficient credits", "usage limit", "spend limit", "spending limit", "exceeded your current quota"} {
		if strings.Contains(words, part) {
			return provider.KindCredit
		}
	}
	switch status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden:
		return kindOfStatus(status) // whatever a gateway calls it: asking again costs and helps nothing
	}
	if saysNoTools(words) {
		return provider.KindNoTools
	}
	if saysNoPictures(words) {
		return provider.KindNoPictures
	}
	switch code {
	case "rate_limit_error", "rate_limit_exceeded":
		return provider.KindRateLimit
	case "overloaded_error", "api_error", "server_error", "timeout_error", "internal_server_error":
		if status < 400 || kindOfStatus(status) == provider.KindBusy {
			return provider.KindBusy // else the status knows better: Ollama calls each refusal an api_error
		}
	}
	if status == 0 {
		if n, err := strconv.Atoi(code); err == nil {
			status = n // OpenRouter and Gemini put the status there
		}
	}
	for _, part := range tooLong {
		if strings.Contains(words, part) {
			return provider.KindTooLong
		}
	}
	if status == 0 && (strings.HasPrefix(code, "invalid_") || strings.Contains(code, "_policy")) {
		return provider.KindRefused
	}
	return kindOfStatus(status)
}

// tooLong is how servers word that a request is too long for the model.
var tooLong = []string{
	"prompt is too long", "exceed context limit", // Anthropic
	"maximum context length", "context window", "context length", "context size", // OpenAI, DeepSeek, OpenRouter, Mistral; Ollama, LM Studio; llama.cpp
	"exceeds the maximum number of tokens", // Gemini
	"maximum prompt length",                // xAI
	"maximum model length",                 // vLLM
	"input is too long",                    // Bedrock
	"exceeded model token limit",           // Moonshot
	"range of input length should be",      // Qwen
	"`max_new_tokens` must be <=",          // TGI, Together
}

// windowWords finds the window in such words.
var windowWords = regexp.MustCompile(`(?i)(?:tokens > |\d > |maximum (?:context|prompt|model) length (?:is|of) |tokens allowed \(|context length of only |context size \(|token limit: |should be \[1, |must be <= )(\d{3,9})\b`)

// windowIn returns the window that a refusal names, in tokens, 0 for none.
func windowIn(words string) int {
	m := windowWords.FindStringSubmatch(words)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

func kindOfStatus(status int) provider.Kind {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return provider.KindAuth
	case status == http.StatusPaymentRequired:
		return provider.KindCredit
	case status == http.StatusTooManyRequests:
		return provider.KindRateLimit
	case status == http.StatusNotFound:
		return provider.KindNotFound
	case status == http.StatusRequestEntityTooLarge:
		return provider.KindTooLong
	case status == http.StatusRequestTimeout || status == http.StatusConflict || status >= 500 || status == 0:
		return provider.KindBusy
	}
	return provider.KindRefused
}

// retryAfter reads how long a provider wants us to wait: retry-after-ms
// (OpenAI's), or Retry-After in seconds or as a date. 0 is no word of it.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e12 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	v := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(v, 64); err == nil && s > 0 && s < 1e9 {
		return time.Duration(s * float64(time.Second))
	}
	if t, err := http.ParseTime(v); err == nil && t.After(now) {
		return t.Sub(now)
	}
	return 0
}
