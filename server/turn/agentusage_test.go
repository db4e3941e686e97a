package turn

import (
	"testing"

	"vibey/dialog"
)

// What a prompt cost stands at the agent's last words, whatever it counts.
func TestAgentUsage(t *testing.T) {
	const most = 1<<63 - 1
	for usage, want := range map[string]dialog.Resources{
		`{"inputTokens":10,"outputTokens":7,"cachedReadTokens":200,"cachedWriteTokens":30,"totalTokens":247}`: {In: 240, Out: 7, Total: 247, Cached: 200, Written: 30},
		// thoughts beside the output, and among it
		`{"inputTokens":10,"outputTokens":7,"thoughtTokens":5,"totalTokens":22}`:                             {In: 10, Out: 12, Total: 22, Reasoning: 5},
		`{"inputTokens":10,"outputTokens":7,"thoughtTokens":5,"totalTokens":17}`:                             {In: 10, Out: 7, Total: 17, Reasoning: 5},
		`{"inputTokens":10,"outputTokens":7,"cachedReadTokens":null}`:                                        {In: 10, Out: 7, Total: 17},
		`{"inputTokens":-10,"outputTokens":7,"cachedReadTokens":-1,"cachedWriteTokens":-3,"totalTokens":-9}`: {Out: 7, Total: 7},
		`{"inputTokens":"x","outputTokens":7,"cachedReadTokens":1e99}`:                                       {Out: 7, Total: 7},
		`{"inputTokens":9223372036854775807,"outputTokens":9223372036854775807,"cachedReadTokens":1}`:        {In: most, Out: most, Total: most, Cached: 1},
		`null`: {},
		`7`:    {},
	} {
		a := newAgentWorld(t, "prompt\n"+`update {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done."}}`+"\nusage "+usage+"\n")
		id, _ := a.ask("go")
		d := a.view(id).Dialog
		last := d.Sections[len(d.Sections)-1]
		got := last.Resources
		if got.MS = 0; last.Role != dialog.Assistant || last.Meta.Get("Stop") != "end" || got != want {
			t.Errorf("%s: %s with %+v, want %+v", usage, last.Role, got, want)
		}
	}
}
