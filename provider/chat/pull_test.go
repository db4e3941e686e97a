package chat

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"vibey/dialog/history"
	"vibey/provider"
)

// A model that Ollama has not is told with the command that gets it. What is no name of a
// model stands in no command, and neither does one that another server does not know.
func TestPullIsNamed(t *testing.T) {
	for _, c := range []struct{ model, says, want string }{
		{"qwen3:8b", `{"error":{"message":"model \"qwen3:8b\" not found, try pulling it first","type":"api_error"}}`, "x has no model qwen3:8b. Get it with `ollama pull qwen3:8b` where Ollama runs, then continue"},
		{"a; rm -rf ~", `{"error":{"message":"model \"a; rm -rf ~\" not found, try pulling it first"}}`, "x knows no such model or address."},
		{"m", `{"error":{"message":"The model m does not exist","code":"model_not_found"}}`, "x knows no such model or address."},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(404)
			w.Write([]byte(c.says))
		}))
		p := New(provider.Config{Name: "x", BaseURL: srv.URL})
		r := &provider.Request{Model: c.model, History: history.History{Items: []history.Item{{Kind: history.UserText, Text: "hi"}}}}
		var got *provider.Error
		for _, err := range p.Stream(t.Context(), r) {
			errors.As(err, &got)
		}
		srv.Close()
		if got == nil || !strings.HasPrefix(got.Message, c.want) {
			t.Errorf("%s: %+v", c.model, got)
		}
	}
}
