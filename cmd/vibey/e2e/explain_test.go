package e2e

import (
	"strings"
	"testing"

	"vibey/provider/providertest"
)

// TestExplainIsWhatIsSent holds what `vibey explain` prints against the request that
// the server then makes: behind a stop by the budget, where the model is asked for
// words alone, and behind its word.
func TestExplainIsWhatIsSent(t *testing.T) {
	t.Parallel()
	for _, provider := range append(providers, "plain") {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			read := providertest.Call{Name: "run_command", Args: `{"command":"true"}`}
			reply := providertest.Reply{Text: "I look.", Calls: []providertest.Call{read}}
			if provider == "plain" {
				reply = providertest.Reply{Text: "I look. <mcp:terminal>true</mcp:terminal>"}
			}
			h := serve(t, newPlace(t, providertest.Script{Replies: []providertest.Reply{reply, reply, {Text: "I looked once."}, {Text: "And again."}}}))
			h.make("p")
			h.write("# Page\n\nəəəproject/v1\n# how much\nbudget status_check 1\nphases off\ntools read nosuch\ncolour red\nəəə\n", "p", "doc-main.md")
			id := h.post(dialogPath, body{"provider": provider, "prompt": "status?"}).ends("tool_request").data.DialogID
			explain := func() (lines []string) {
				before := h.files()
				out, log, code := h.vibey("explain", "--dir", h.dir, "--state", h.state, "--provider", "local=chat,"+h.api+"/v1", "--provider", "plain=tags,"+h.api+"/v1", "p/"+id)
				if code != 0 || h.files() != before {
					t.Fatalf("exit %d: %s%s", code, out, log)
				}
				return strings.Split(strings.TrimSuffix(out, "\n"), "\n")
			}
			has := func(lines []string, want string) {
				t.Helper()
				if !strings.Contains(strings.Join(lines, "\n"), want) {
					t.Errorf("%q is not told:\n%s", want, strings.Join(lines, "\n"))
				}
			}
			has(explain(), "No request can be told: a call waits for a human")
			h.put(dialogPath, body{"dialogId": id, "control": "allow run_command"}).ends("done")
			lines := explain()
			has(lines, "doc-main.md:5: budget status_check 1")
			has(lines, "doc-main.md:6: phases off")
			has(lines, "doc-main.md:7: tools read\n")
			has(lines, "doc-main.md:7: but: this program has no set of tools \"nosuch\"")
			has(lines, "doc-main.md:8: not held: there is no rule \"colour\"")
			has(lines, "intent status_check, 1 of 1 steps used, stopped: budget.")
			has(lines, "First a Note of Kind nudge to the model: [CONTINUE]")
			h.put(dialogPath, body{"dialogId": id, "continue": true}).ends("done")
			bodies := h.mock.Bodies()
			if got, want := bodies[len(bodies)-1].Text, lines[len(lines)-1]; got != want {
				t.Errorf("sent\n%s\nand explained\n%s", got, want)
			}
			prefix := ""
			for _, sec := range h.look("p", id).Sections {
				if sec.Role == "Assistant" {
					prefix = sec.Meta["Prefix"]
				}
			}
			has(lines, "prefix "+prefix)
		})
	}
}
