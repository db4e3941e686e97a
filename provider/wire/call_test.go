package wire

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vibey/provider"
	"vibey/provider/providertest"
)

// words is a parser for tests: an event's data is a text, but for "call",
// "end", and "bad".
type words struct{}

func (words) Next(data []byte, out []provider.Event) ([]provider.Event, bool, error) {
	switch s := string(data); s {
	case "call":
		return append(out, provider.Call{ID: "c", Name: "n"}), false, nil
	case "end":
		return append(out, provider.Finish{Stop: provider.StopEnd}), true, nil
	case "bad":
		return out, false, errors.New("half a value")
	default:
		return append(out, provider.Text{Piece: s}), false, nil
	}
}

func (words) End(out []provider.Event) ([]provider.Event, bool) { return out, false }

const key = "sk-ant-secret-0123456789"

func ask(c *providertest.Canned) *Call {
	return &Call{
		Config: provider.Config{Name: "claude", Client: c.Client(), Key: func() string { return key + "\n" }},
		URL:    "http://test.example/v1/messages", Body: Body{[]byte("bo"), []byte("dy")}, Prefix: "p",
		Header: http.Header{}, Parser: func() Parser { return words{} },
	}
}

func status(code int, body string, header ...string) providertest.Answer {
	h := http.Header{"Content-Type": {"application/json"}}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return providertest.Answer{Status: code, Body: body, Header: h}
}

func sent(data ...string) providertest.Answer {
	return providertest.Answer{Body: "data: " + strings.Join(data, "\n\ndata: ") + "\n\n"}
}

func then(a providertest.Answer, what string) providertest.Answer { a.Then = what; return a }

const finish = `finish end "" in=0 out=0 total=0 tools=0 ms=0` + "\n"

// Each row: what the server answers, one after the other; the trace; how many
// requests it took; how long, to the nearest 10 s, 1 s or 100 ms as it is told.
var calls = []struct {
	name    string
	answers []providertest.Answer
	trace   string
	asked   int
	least   time.Duration
	most    time.Duration
}{
	{"at once", []providertest.Answer{sent("hi", "end")}, "begin\ntext \"hi\"\n" + finish, 1, 0, 0},
	{"what follows the end is not read", []providertest.Answer{then(sent("end", "more"), "silence")}, "begin\n" + finish, 1, 0, 0},
	{"rate limit with a short Retry-After", []providertest.Answer{status(429, `{"error":{"type":"rate_limit_error","message":"slow"}}`, "Retry-After", "1"), sent("end")},
		"begin\nretry\n" + finish, 2, time.Second, 1100 * time.Millisecond},
	{"rate limit with a long Retry-After", []providertest.Answer{status(429, `{"error":{"message":"slow"}}`, "Retry-After", "60")}, "begin\nerror rate_limit\n", 1, 0, 0},
	{"retry-after-ms", []providertest.Answer{status(429, `{}`, "Retry-After-Ms", "2500"), sent("end")}, "begin\nretry\n" + finish, 2, 2500 * time.Millisecond, 2600 * time.Millisecond},
	{"overloaded thrice", []providertest.Answer{status(529, `{}`), status(500, ``), status(503, `<html>`), sent("end")},
		"begin\nretry\nretry\nretry\n" + finish, 4, 1750 * time.Millisecond, 3500 * time.Millisecond},
	{"overloaded for good", []providertest.Answer{status(529, `{}`)}, "begin\nretry\nretry\nretry\nerror busy\n", 4, 1750 * time.Millisecond, 3500 * time.Millisecond},
	{"ten seconds in all", []providertest.Answer{status(529, `{}`, "Retry-After", "4")}, "begin\nretry\nretry\nerror busy\n", 3, 8 * time.Second, 8200 * time.Millisecond},
	{"nobody there", []providertest.Answer{{Err: errors.New("connection refused")}, sent("end")}, "begin\nretry\n" + finish, 2, 250 * time.Millisecond, 500 * time.Millisecond},
	{"cut before content", []providertest.Answer{{Then: "cut"}, sent("a", "end")}, "begin\nretry\ntext \"a\"\n" + finish, 2, 250 * time.Millisecond, 500 * time.Millisecond},
	{"malformed before content", []providertest.Answer{sent("bad"), sent("end")}, "begin\nretry\n" + finish, 2, 250 * time.Millisecond, 500 * time.Millisecond},
	{"cut after content", []providertest.Answer{then(sent("a"), "cut")}, "begin\ntext \"a\"\nerror cut\n", 1, 0, 0},
	{"end without terminal event", []providertest.Answer{sent("a")}, "begin\ntext \"a\"\nerror cut\n", 1, 0, 0},
	{"cut after a call", []providertest.Answer{then(sent("call"), "cut")}, "begin\ncall c n \"\"\nerror cut\n", 1, 0, 0},
	{"malformed after content", []providertest.Answer{sent("a", "bad", "end")}, "begin\ntext \"a\"\nerror malformed\n", 1, 0, 0},
	{"silence before content", []providertest.Answer{{Then: "silence"}}, "begin\nerror idle\n", 1, 120 * time.Second, 120 * time.Second},
	{"silence after content", []providertest.Answer{then(sent("a"), "silence")}, "begin\ntext \"a\"\nerror idle\n", 1, 120 * time.Second, 120 * time.Second},
	{"wrong key", []providertest.Answer{status(401, `{"error":{"message":"invalid x-api-key"}}`)}, "begin\nerror auth\n", 1, 0, 0},
	{"not allowed", []providertest.Answer{status(403, ``)}, "begin\nerror auth\n", 1, 0, 0},
	{"no money", []providertest.Answer{status(402, `{"error":"Insufficient Balance"}`)}, "begin\nerror credit\n", 1, 0, 0},
	{"no money, by another name", []providertest.Answer{status(402, `{"error":{"type":"api_error","message":"pay"}}`)}, "begin\nerror credit\n", 1, 0, 0},
	{"not allowed, by another name", []providertest.Answer{status(403, `{"error":{"type":"server_error","message":"no"}}`)}, "begin\nerror auth\n", 1, 0, 0},
	{"wrong key, by another name", []providertest.Answer{status(401, `{"error":{"type":"overloaded_error","message":"no"}}`)}, "begin\nerror auth\n", 1, 0, 0},
	{"Anthropic's empty account", []providertest.Answer{status(400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`)}, "begin\nerror credit\n", 1, 0, 0},
	{"OpenAI's empty account", []providertest.Answer{status(429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`)}, "begin\nerror credit\n", 1, 0, 0},
	{"too long for Anthropic", []providertest.Answer{status(400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 212345 tokens > 200000 maximum"}}`)}, "begin\nerror too_long\n", 1, 0, 0},
	{"too long for OpenAI", []providertest.Answer{status(400, `{"error":{"message":"x","type":"invalid_request_error","code":"context_length_exceeded"}}`)}, "begin\nerror too_long\n", 1, 0, 0},
	{"too long beside the answer, for Anthropic", []providertest.Answer{status(400, `{"type":"error","error":{"type":"invalid_request_error","message":"input length and `+"`max_tokens`"+` exceed context limit: 190000 + 20000 > 200000, decrease input length or max_tokens and try again"}}`)}, "begin\nerror too_long\n", 1, 0, 0},
	{"one text too long for OpenAI", []providertest.Answer{status(400, `{"error":{"message":"Invalid 'input[1].content': string too long.","type":"invalid_request_error","code":"string_above_max_length"}}`)}, "begin\nerror too_long\n", 1, 0, 0},
	{"too long for Gemini", []providertest.Answer{status(400, `[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`)}, "begin\nerror too_long\n", 1, 0, 0},
	{"too long for xAI", []providertest.Answer{status(400, `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}`)}, "begin\nerror too_long\n", 1, 0, 0},
	{"too long for Ollama", []providertest.Answer{status(400, `{"error":{"message":"prompt too long; exceeded max context length by 12 tokens","type":"api_error"}}`)}, "begin\nerror too_long\n", 1, 0, 0},
	{"too long for vLLM", []providertest.Answer{status(400, `{"object":"error","message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError","code":400}`)}, "begin\nerror too_long\n", 1, 0, 0},
	{"too long for llama.cpp", []providertest.Answer{status(400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_ctx":4096}}`)}, "begin\nerror too_long\n", 1, 0, 0},
	{"no such model", []providertest.Answer{status(404, `{"error":"model 'x' not found, try pulling it first"}`)}, "begin\nerror not_found\n", 1, 0, 0},
	{"no such model, in Ollama's words", []providertest.Answer{status(404, `{"error":{"message":"model 'x' not found","type":"api_error","param":null,"code":null}}`)}, "begin\nerror not_found\n", 1, 0, 0},
	{"Ollama has no tools", []providertest.Answer{status(400, `{"error":{"message":"registry.ollama.ai/library/gemma3:4b does not support tools","type":"api_error","param":null,"code":null}}`)}, "begin\nerror no_tools\n", 1, 0, 0},
	{"Ollama has no tools, as its own API tells it", []providertest.Answer{status(400, `{"error":"registry.ollama.ai/library/gemma3:4b does not support tools"}`)}, "begin\nerror no_tools\n", 1, 0, 0},
	{"llama.cpp has no tools", []providertest.Answer{status(500, `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`)}, "begin\nerror no_tools\n", 1, 0, 0},
	{"llama.cpp has no tools, as it once told it", []providertest.Answer{status(500, `{"error":{"code":500,"message":"Unsupported param: tools","type":"server_error"}}`)}, "begin\nerror no_tools\n", 1, 0, 0},
	{"vLLM has no tools", []providertest.Answer{status(400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","param":null,"code":400}`)}, "begin\nerror no_tools\n", 1, 0, 0},
	{"OpenRouter has no tools", []providertest.Answer{status(404, `{"error":{"message":"No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs/provider-routing","code":404}}`)}, "begin\nerror no_tools\n", 1, 0, 0},
	{"DeepSeek has no tools", []providertest.Answer{status(400, `{"error":{"message":"deepseek-reasoner does not support Function Calling","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`)}, "begin\nerror no_tools\n", 1, 0, 0},
	{"llama.cpp sees nothing", []providertest.Answer{status(500, `{"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj","type":"server_error"}}`)}, "begin\nerror no_pictures\n", 1, 0, 0},
	{"OpenRouter sees nothing", []providertest.Answer{status(404, `{"error":{"message":"No endpoints found that support image input","code":404}}`)}, "begin\nerror no_pictures\n", 1, 0, 0},
	{"DeepSeek sees nothing", []providertest.Answer{status(400, "{\"error\":{\"message\":\"Failed to deserialize the JSON body into the target type: messages[0]: unknown variant `image_url`, expected `text` at line 1 column 199\",\"type\":\"invalid_request_error\"}}")}, "begin\nerror no_pictures\n", 1, 0, 0},
	{"no tools, in the stream", []providertest.Answer{status(200, `{"error":{"message":"x does not support tools"}}`)}, "begin\nerror no_tools\n", 1, 0, 0},
	{"a status that is a number", []providertest.Answer{status(400, `{"error":{"code":"insufficient_quota","message":"no more","status":400}}`)}, "begin\nerror credit\n", 1, 0, 0},
	{"Gemini's list", []providertest.Answer{status(400, `[{"error":{"code":400,"message":"Function call is missing a thought_signature","status":"INVALID_ARGUMENT"}}]`)}, "begin\nerror bad_request\n", 1, 0, 0},
	{"unreadable detail", []providertest.Answer{status(422, `{"detail":[{"loc":["body"],"msg":"field required"}]}`)}, "begin\nerror bad_request\n", 1, 0, 0},
	{"redirect", []providertest.Answer{status(308, ``, "Location", "http://elsewhere.example/")}, "begin\nerror bad_request\n", 1, 0, 0},
	{"a page", []providertest.Answer{status(200, `<html>`, "Content-Type", "text/html")}, "begin\nerror malformed\n", 1, 0, 0},
	{"an error with status 200", []providertest.Answer{status(200, `{"error":{"message":"no","type":"invalid_request_error"}}`)}, "begin\nerror bad_request\n", 1, 0, 0},
}

func TestCall(t *testing.T) {
	for _, tt := range calls {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &providertest.Canned{Answers: tt.answers}
				start := time.Now()
				got := providertest.Trace(ask(c).Stream(t.Context()))
				took := time.Since(start)
				if got != tt.trace {
					t.Errorf("got:\n%swant:\n%s", got, tt.trace)
				}
				if len(c.Got) != tt.asked {
					t.Errorf("%d requests, want %d", len(c.Got), tt.asked)
				}
				if took < tt.least || took > tt.most {
					t.Errorf("took %v, want %v to %v", took, tt.least, tt.most)
				}
				for _, b := range c.Got {
					if b != "body" {
						t.Errorf("sent %q", b)
					}
				}
			})
		})
	}
}

func failure(t *testing.T, a providertest.Answer) *provider.Error {
	t.Helper()
	var e *provider.Error
	for _, err := range ask(&providertest.Canned{Answers: []providertest.Answer{a}}).Stream(t.Context()) {
		errors.As(err, &e)
	}
	if e == nil {
		t.Fatal("no error")
	}
	return e
}

func TestWords(t *testing.T) {
	long := failure(t, status(429, `{"error":{"message":"slow"}}`, "Retry-After", "60"))
	if long.RetryAfter != time.Minute || !strings.Contains(long.Message, "wait 60 s") {
		t.Errorf("a long Retry-After: %v, %q", long.RetryAfter, long.Message)
	}
	auth := failure(t, status(401, `{"error":{"message":"Incorrect key `+key+` or\nsk-proj-abc***XYZ1"}}`))
	if strings.Contains(auth.Message, "secret") || strings.Contains(auth.Message, "XYZ1") || strings.Contains(auth.Message, "\n") {
		t.Errorf("not masked: %q", auth.Message)
	}
	if !strings.Contains(auth.Message, `"Incorrect key (key) or (key)"`) {
		t.Errorf("the provider's words are lost: %q", auth.Message)
	}
	moved := failure(t, status(302, ""))
	if !strings.Contains(moved.Message, "redirect") {
		t.Errorf("redirect: %q", moved.Message)
	}
}

func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, a := range map[string]providertest.Answer{
			"while it waits to try again": status(529, `{}`, "Retry-After", "5"),
			"while the stream is silent":  then(sent("a"), "silence"),
		} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			var last error
			start := time.Now()
			for _, err := range ask(&providertest.Canned{Answers: []providertest.Answer{a}}).Stream(ctx) {
				last = err
			}
			cancel()
			if !errors.Is(last, context.DeadlineExceeded) || time.Since(start) != time.Second {
				t.Errorf("%s: %v after %v", name, last, time.Since(start))
			}
		}
	})
}

func TestBreak(t *testing.T) {
	c := &providertest.Canned{Answers: []providertest.Answer{then(sent("a", "b", "c"), "silence")}}
	n := 0
	for e := range ask(c).Stream(t.Context()) {
		if _, ok := e.(provider.Text); ok {
			if n++; n == 2 {
				break
			}
		}
	}
	if n != 2 {
		t.Errorf("%d texts", n)
	}
}

// A reader that takes its time must not look like a silent server.
func TestSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &providertest.Canned{Answers: []providertest.Answer{{Body: sent("a", "b", "end").Body, Chunk: 5}}}
		for _, err := range ask(c).Stream(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Minute)
		}
	})
}

func TestRetryAfterDate(t *testing.T) {
	now := time.Date(2026, 2, 16, 20, 11, 0, 0, time.UTC)
	for v, want := range map[string]time.Duration{
		"Mon, 16 Feb 2026 20:11:30 GMT": 30 * time.Second, "Mon, 16 Feb 2026 20:10:30 GMT": 0,
		"1.5": 1500 * time.Millisecond, "-3": 0, "soon": 0, "": 0, "1e300": 0, "NaN": 0,
	} {
		if got := retryAfter(http.Header{"Retry-After": {v}}, now); got != want {
			t.Errorf("%q: %v, want %v", v, got, want)
		}
	}
}
