package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkAgent is the way of an agent's messages from their stamp, which it takes as it
// sends them, through the dialog's file to a client of the stream, at 100 a second. A
// text is a piece of an answer; a call is one that ended: a Tool Request, a Note and its
// Tool Result, which is waited for.
func BenchmarkAgent(b *testing.B) {
	agent := mockAgent(b, "mockagent")
	for _, c := range []struct{ name, frame, update string }{
		{"text", `data: {"type":"chunk"`, `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"@$NOW; "}}`},
		{"call", `"role":"Tool Result"`, `{"sessionUpdate":"tool_call","toolCallId":"c$NOW","title":"Read","kind":"read","status":"completed","content":[{"type":"content","content":{"type":"text","text":"@$NOW; "}}]}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				agentMessages(b, agent, c.frame, c.update)
			}
		})
	}
}

// agentMessages lets an agent send an update often, and reports how long each took to
// come in a frame of that kind.
func agentMessages(b *testing.B, agent, frame, update string) {
	const each = 300
	script := filepath.Join(b.TempDir(), "script")
	if err := os.WriteFile(script, fmt.Appendf(nil, "prompt\nrepeat %d pause 10ms update %s\n", each, update), 0o600); err != nil {
		b.Fatal(err)
	}
	p := measureWith(b, "--agent", "mock="+agent+" play "+script)
	var late []float64
	err := p.send("POST", "/project/p/dialog", body{"provider": "acp", "model": "mock", "prompt": "go"}, func(line string) {
		now := time.Now().UnixNano()
		if !strings.Contains(line, frame) {
			return
		}
		for _, part := range strings.Split(line, "@")[1:] {
			digits, _, _ := strings.Cut(part, ";")
			if sent, err := strconv.ParseInt(digits, 10, 64); err == nil {
				late = append(late, float64(now-sent)/1e3)
			}
		}
	})
	if err != nil || len(late) != each {
		b.Fatalf("%d of %d messages came: %v", len(late), each, err)
	}
	slices.Sort(late)
	b.ReportMetric(late[len(late)/2], "µs-p50")
	b.ReportMetric(late[len(late)*95/100], "µs-p95")
}
