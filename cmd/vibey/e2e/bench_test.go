package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// timed is a model for measuring: it asks for so many rounds of write_file, then
// says so many tokens, each with the time at which it was sent. It notes when a
// request came and when its answer was out.
type timed struct {
	rounds int
	tokens int
	every  time.Duration

	mu     sync.Mutex
	came   []time.Time
	out    []time.Time
	failed atomic.Int64
}

const hundred = "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"

func (m *timed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	came := time.Now()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		m.failed.Add(1)
		return
	}
	round := bytes.Count(b, []byte(`"tool_result"`))
	w.Header().Set("Content-Type", "text/event-stream")
	io.WriteString(w, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[],\"stop_reason\":null,\"usage\":{\"input_tokens\":10,\"output_tokens\":1}}}\n\n")
	flush := http.NewResponseController(w).Flush
	stop := "end_turn"
	if round < m.rounds {
		stop = "tool_use"
		args, _ := json.Marshal(fmt.Sprintf(`{"path":"deed/a.txt","content":"%d %s"}`, round, hundred)) // the same twice more would be a loop
		fmt.Fprintf(w, "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_%d\",\"name\":\"write_file\",\"input\":{}}}\n\n", round)
		fmt.Fprintf(w, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":%s}}\n\n", args)
	} else {
		io.WriteString(w, "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n")
		start := time.Now()
		for i := range m.tokens {
			time.Sleep(time.Until(start.Add(time.Duration(i) * m.every)))
			fmt.Fprintf(w, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"@%d; \"}}\n\n", time.Now().UnixNano())
			flush()
		}
	}
	io.WriteString(w, "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n")
	fmt.Fprintf(w, "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"%s\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":2}}\n\n", stop)
	io.WriteString(w, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n")
	flush()
	m.mu.Lock()
	m.came, m.out = append(m.came, came), append(m.out, time.Now())
	m.mu.Unlock()
}

// measured is a process of the program under measurement, with one project.
type measured struct {
	b     *testing.B
	cmd   *exec.Cmd
	dir   string
	url   string
	token string
	http  *http.Client
}

func measure(b *testing.B, m *timed) *measured {
	model := httptest.NewServer(m)
	b.Cleanup(model.Close)
	return measureWith(b, "--provider", "m=messages,"+model.URL)
}

// measureWith starts the program with these flags too.
func measureWith(b *testing.B, flags ...string) *measured {
	dir := b.TempDir()
	p := &measured{b: b, dir: dir, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2000}}}
	p.cmd = exec.Command(binary, append([]string{"serve", "--addr", "127.0.0.1:0", "--dir", filepath.Join(dir, "root"), "--state", filepath.Join(dir, "state")}, flags...)...)
	p.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { p.cmd.Process.Signal(syscall.SIGTERM); p.cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	p.url, _, _ = strings.Cut(strings.TrimPrefix(line, "vibey: "), "/#")
	token, err := os.ReadFile(filepath.Join(dir, "state", "token"))
	if err != nil {
		b.Fatal(err)
	}
	p.token = strings.TrimSpace(string(token))
	p.send("POST", "/projects", body{"name": "p"}, func(string) {})
	return p
}

// send makes a request and gives each line of the answer to sink.
func (p *measured) send(method, path string, send body, sink func(line string)) error {
	j, _ := json.Marshal(send)
	req, err := http.NewRequest(method, p.url+path, bytes.NewReader(j))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+p.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := p.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != 200 {
		return fmt.Errorf("%s %s: %s", method, path, res.Status)
	}
	r := bufio.NewReaderSize(res.Body, 64<<10)
	for {
		line, err := r.ReadString('\n')
		sink(line)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// cpu is the processor time that the process has used.
func (p *measured) cpu() time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		p.b.Fatal(err)
	}
	f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+2:]))
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// memory is a line of the process's status in MB.
func (p *measured) memory(name string) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		p.b.Fatal(err)
	}
	for line := range strings.SplitSeq(string(status), "\n") {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kb, _ := strconv.Atoi(strings.Fields(rest)[0])
			return float64(kb) / 1024
		}
	}
	return 0
}

// BenchmarkRounds is a dialog of 1,000 tool rounds, synced to disk: our own
// time in rounds 1 to 10 and 991 to 1,000 (last byte of an answer to the next
// request's arrival, less the tool's time as its result tells), CPU and memory.
func BenchmarkRounds(b *testing.B) {
	for b.Loop() {
		m := &timed{rounds: 1000, tokens: 1}
		p := measure(b, m)
		if err := os.WriteFile(filepath.Join(p.dir, "root", "p", "doc-main.md"), []byte("# p\n\nəəəproject/v1\nbudget autonomous 10000\nəəə\n"), 0o644); err != nil {
			b.Fatal(err)
		}
		var id string
		ask := func(line string) {
			if _, rest, ok := strings.Cut(line, `"dialogId":"`); ok && id == "" {
				id, _, _ = strings.Cut(rest, `"`)
			}
		}
		if err := p.send("POST", "/project/p/dialog", body{"provider": "m", "model": "m", "prompt": "go", "intent": "autonomous"}, ask); err != nil {
			b.Fatal(err)
		}
		idle := p.memory("VmRSS")
		cpu := p.cpu()
		if err := p.send("PUT", "/project/p/dialog", body{"dialogId": id, "control": "allow write_file"}, func(string) {}); err != nil {
			b.Fatal(err)
		}
		cpu = p.cpu() - cpu
		tool := p.toolTimes(id)
		own := make([]float64, 0, 1000)
		for i := 1; i < len(m.came); i++ {
			own = append(own, m.came[i].Sub(m.out[i-1]).Seconds()*1e3-tool[i-1])
		}
		if len(own) != 1000 {
			b.Fatalf("%d rounds", len(own))
		}
		first, last := median(own[1:11]), median(own[990:])
		b.ReportMetric(first, "ms/round-10")
		b.ReportMetric(last, "ms/round-1000")
		b.ReportMetric(last/first, "growth")
		b.ReportMetric(cpu.Seconds(), "cpu-s/1000-rounds")
		b.ReportMetric(idle, "MB-idle")
		b.ReportMetric(p.memory("VmHWM"), "MB-peak")
	}
}

// toolTimes are the milliseconds that the results of a dialog tell.
func (p *measured) toolTimes(id string) []float64 {
	var text string
	if err := p.send("GET", "/project/p/dialog/"+id+"?markdown=0", nil, func(line string) { text += line }); err != nil {
		p.b.Fatal(err)
	}
	var view struct{ Sections []section }
	if err := json.Unmarshal([]byte(text), &view); err != nil {
		p.b.Fatal(err)
	}
	var ms []float64
	for _, s := range view.Sections {
		if s.Role == "Tool Result" {
			ms = append(ms, float64(s.Resources.MS))
		}
	}
	return ms
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// BenchmarkTokens is so many dialogs at once, 50 tokens a second each, for 6
// seconds: the way of a token from the model to the window, and what got lost.
func BenchmarkTokens(b *testing.B) {
	for _, n := range []int{50, 200, 1000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				tokens(b, n)
			}
		})
	}
}

func tokens(b *testing.B, n int) {
	const each = 300
	p := measure(b, &timed{tokens: each, every: 20 * time.Millisecond})
	cpu := p.cpu()
	var mu sync.Mutex
	var late []float64
	var wg sync.WaitGroup
	var failed atomic.Int64
	for i := range n {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * time.Second / time.Duration(max(n, 50)))
			var own []float64
			err := p.send("POST", "/project/p/dialog", body{"provider": "m", "model": "m", "prompt": "go", "slug": "d" + strconv.Itoa(i)}, func(line string) {
				now := time.Now().UnixNano()
				if !strings.HasPrefix(line, `data: {"type":"chunk"`) {
					return
				}
				for _, part := range strings.Split(line, "@")[1:] {
					digits, _, _ := strings.Cut(part, ";")
					if sent, err := strconv.ParseInt(digits, 10, 64); err == nil {
						own = append(own, float64(now-sent)/1e6)
					}
				}
			})
			if err != nil {
				failed.Add(1)
			}
			mu.Lock()
			late = append(late, own...)
			mu.Unlock()
		})
	}
	wg.Wait()
	cpu = p.cpu() - cpu
	if len(late) == 0 {
		b.Fatal("no token came")
	}
	slices.Sort(late)
	b.ReportMetric(late[len(late)/2], "ms-p50")
	b.ReportMetric(late[len(late)*99/100], "ms-p99")
	b.ReportMetric(float64(n*each-len(late)), "lost")
	b.ReportMetric(float64(failed.Load()), "failed")
	b.ReportMetric(float64(cpu.Microseconds())/float64(n*each), "µs-cpu/token")
	b.ReportMetric(p.memory("VmHWM"), "MB-peak")
}
