package providertest

import (
	"fmt"
	"net/http"
	"strings"
)

// GenerateContent answers a request in Google's format with a reply, as a stream where the
// method at the end of the path is streamGenerateContent. What was asked is not looked at:
// nothing of ours speaks the format, but gemini does.
func GenerateContent(w http.ResponseWriter, r *http.Request, p Reply) {
	_, method, _ := strings.Cut(r.URL.Path, ":")
	if method == "countTokens" {
		writeJSON(w, http.StatusOK, map[string]int{"totalTokens": 1})
		return
	}
	var parts []string
	if p.Text != "" {
		parts = append(parts, fmt.Sprintf(`{"text":%s}`, js(p.Text)))
	}
	for _, c := range p.Calls {
		parts = append(parts, fmt.Sprintf(`{"functionCall":{"id":%s,"name":%s,"args":%s}}`, js(c.ID), js(c.Name), c.Args))
	}
	const usage = `"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":1,"totalTokenCount":10}`
	answer := func(parts, stop string) string {
		return fmt.Sprintf(`{"candidates":[{"index":0,"content":{"role":"model","parts":[%s]}%s}],%s,"modelVersion":"mock-1"}`, parts, stop, usage)
	}
	if method != "streamGenerateContent" {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, answer(strings.Join(parts, ","), `,"finishReason":"STOP"`))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	s := &stream{w: w, rc: http.NewResponseController(w), r: r}
	defer s.end()
	for i, part := range parts {
		stop := ""
		if i == len(parts)-1 {
			stop = `,"finishReason":"STOP"`
		}
		s.write("", answer(part, stop))
	}
}
