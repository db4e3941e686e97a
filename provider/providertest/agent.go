package providertest

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Agent is a stand-in for an agent over ACP: it answers as a script says. It knows the
// wire alone, and nothing of the types that the program has for it.
//
//	caps {"loadSession":true}       what initialize answers as agentCapabilities
//	modes now ID ID…                those that a session has, of which it stands in now
//	fail METHOD                     METHOD is answered with an error
//	awaits METHOD FIFO              METHOD is answered when somebody has written into FIFO
//	crashes METHOD                  it ends when METHOD is asked for
//	version 2                       the version of the protocol that it says it speaks
//	prompt                          what follows answers the first prompt, then the next
//	update {"sessionUpdate":…}      session/update
//	ask {"toolCallId":…}            session/request_permission; waits for the answer
//	options [{"optionId":…}]        those of the next ask
//	call METHOD {…}                 a request; waits for the answer
//	begin METHOD {…}                a request whose answer nobody waits for
//	allowed WORDS…                  the step WORDS, if the last answer selected "yes"
//	refused WORDS…                  the step WORDS, if it did not
//	mode ID                         goes to that mode by itself, and tells it
//	setting ID                      the same, told as an option
//	in ID WORDS…                    the step WORDS, if it stands in that mode
//	write PATH TEXT                 writes a file itself
//	leave WORDS…                    starts a command in a session of its own, and forgets it
//	send {…}                        a line as it stands
//	repeat N WORDS…                 the step WORDS N times
//	pause DURATION WORDS…           the step WORDS, when that time is over
//	until TEXT call WORDS…          the same call again and again, until its result has TEXT
//	usage {"inputTokens":…}         the usage of the ends from here on
//	hang                            says nothing any more
//	silent                          ends no prompt that is cancelled
//	crash                           ends at once
//	end REASON                      answers the prompt; end_turn where the script lacks it
//
// $DEED, $SESSION and $TERMINAL stand for the session's folder, its id, and the terminal
// that was made last; $NOW for the time at which the line is sent, in nanoseconds.
type Agent struct {
	Script string
	Log    io.Writer // gets each line that comes, nil for none
	Crash  int       // ends when it has sent that many lines; 0 never

	in       *bufio.Reader
	out      io.Writer
	prompts  [][]string
	caps     string
	modes    []string
	mode     string
	usage    string // beside the reason of an end
	fails    map[string]bool
	vars     map[string]string
	awaits   [2]string // a method, and the pipe that is read before it is answered
	crashes  string    // the method at which it ends
	version  string    // of the protocol that it says it speaks, "" for 1
	options  string
	allowed  bool
	got      string // the result of the last call
	silent   bool
	prompted int
	sent     int
	asked    int
	prompt   string // the id of the prompt under way
}

const usual = `[{"optionId":"always","name":"Always","kind":"allow_always"},{"optionId":"yes","name":"Once","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]`

// Play plays until its input ends.
func (a *Agent) Play(in io.Reader, out io.Writer) error {
	a.in, a.out = bufio.NewReaderSize(in, 1<<20), out
	a.fails, a.vars, a.caps = map[string]bool{}, map[string]string{}, "{}"
	for line := range strings.Lines(a.Script) {
		line = strings.TrimSpace(line)
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "" || line[0] == '#':
		case word == "caps":
			a.caps = rest
		case word == "modes":
			a.modes = strings.Fields(rest)
			a.mode, a.modes = a.modes[0], a.modes[1:]
		case word == "fail":
			a.fails[rest] = true
		case word == "awaits":
			a.awaits[0], a.awaits[1], _ = strings.Cut(rest, " ")
		case word == "crashes":
			a.crashes = rest
		case word == "version":
			a.version = rest
		case word == "prompt":
			a.prompts = append(a.prompts, nil)
		default:
			a.prompts[len(a.prompts)-1] = append(a.prompts[len(a.prompts)-1], line)
		}
	}
	for {
		m, err := a.read()
		if err != nil {
			return nil
		}
		a.serve(m)
	}
}

type wire struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

func (a *Agent) read() (m wire, err error) {
	line, err := a.in.ReadBytes('\n')
	if err != nil {
		return m, err
	}
	if a.Log != nil {
		a.Log.Write(line)
	}
	return m, json.Unmarshal(line, &m)
}

func (a *Agent) send(line string) {
	for name, value := range a.vars {
		line = strings.ReplaceAll(line, "$"+name, value)
	}
	if strings.Contains(line, "$NOW") {
		line = strings.ReplaceAll(line, "$NOW", strconv.FormatInt(time.Now().UnixNano(), 10))
	}
	io.WriteString(a.out, line+"\n")
	if a.sent++; a.sent == a.Crash {
		os.Exit(3)
	}
}

// serve answers what the client sends.
func (a *Agent) serve(m wire) {
	var p struct {
		CWD       string `json:"cwd"`
		SessionID string `json:"sessionId"`
		ModeID    string `json:"modeId"`
	}
	json.Unmarshal(m.Params, &p)
	if p.CWD != "" {
		a.vars["DEED"] = p.CWD
	}
	if m.Method != "" && m.Method == a.awaits[0] {
		os.ReadFile(a.awaits[1])
	}
	switch {
	case m.Method == "session/cancel":
		if a.prompt != "" && !a.silent {
			a.end("cancelled")
		}
	case m.Method == "" || m.ID == nil:
	case m.Method == a.crashes:
		a.step("crash")
	case a.fails[m.Method]:
		a.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"%s fails here"}}`, m.ID, m.Method))
	case m.Method == "initialize":
		a.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%s,"agentCapabilities":%s,"authMethods":[]}}`, m.ID, cmp.Or(a.version, "1"), a.caps))
	case m.Method == "session/new":
		a.vars["SESSION"] = "sess-" + strconv.Itoa(os.Getpid())
		a.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"sessionId":"$SESSION"%s}}`, m.ID, a.modeState(",")))
		a.send(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"$SESSION","update":{"sessionUpdate":"available_commands_update","availableCommands":[]}}}`)
	case m.Method == "session/load", m.Method == "session/resume":
		a.vars["SESSION"] = p.SessionID
		if m.Method == "session/load" {
			a.send(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"$SESSION","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"REPLAYED"}}}}`)
		}
		a.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, cmp.Or(a.modeState(""), "null")))
	case m.Method == "session/set_mode":
		a.mode = p.ModeID
		a.tell(`{"sessionUpdate":"current_mode_update","currentModeId":"` + a.mode + `"}`)
		a.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID))
	case m.Method == "session/prompt":
		a.answer(string(m.ID))
	default:
		a.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, m.ID))
	}
}

// answer plays the steps for one prompt.
func (a *Agent) answer(id string) {
	a.prompt = id
	var steps []string
	if a.prompted < len(a.prompts) {
		steps = a.prompts[a.prompted]
	}
	a.prompted++
	for _, s := range steps {
		a.step(s)
		if a.prompt == "" {
			return
		}
	}
	a.end("end_turn")
}

func (a *Agent) end(reason string) {
	id := a.prompt
	a.prompt = ""
	a.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"%s"%s}}`, id, reason, a.usage))
}

func (a *Agent) step(s string) {
	word, rest, _ := strings.Cut(s, " ")
	switch word {
	case "update":
		a.tell(rest)
	case "mode":
		a.mode = rest
		a.tell(`{"sessionUpdate":"current_mode_update","currentModeId":"` + rest + `"}`)
	case "setting":
		a.mode = rest
		a.tell(`{"sessionUpdate":"config_option_update","configOptions":[{"id":"fast","currentValue":true},{"id":"mode","currentValue":"` + rest + `"}]}`)
	case "in":
		if mode, what, _ := strings.Cut(rest, " "); mode == a.mode {
			a.step(what)
		}
	case "options":
		a.options = rest
	case "ask":
		options := cmp.Or(a.options, usual)
		a.options = ""
		got := a.call("session/request_permission", `{"sessionId":"$SESSION","toolCall":`+rest+`,"options":`+options+`}`)
		a.allowed = strings.Contains(string(got.Result), `"yes"`)
	case "call", "begin":
		method, params, _ := strings.Cut(rest, " ")
		params = `{"sessionId":"$SESSION",` + strings.TrimPrefix(params, "{")
		if word == "begin" {
			a.request(method, params)
			return
		}
		got := a.call(method, params)
		a.allowed, a.got = got.Error == nil, string(got.Result)
		var t struct {
			TerminalID string `json:"terminalId"`
		}
		if json.Unmarshal(got.Result, &t) == nil && t.TerminalID != "" {
			a.vars["TERMINAL"] = t.TerminalID
		}
	case "allowed", "refused":
		if a.allowed == (word == "allowed") {
			a.step(rest)
		}
	case "write":
		path, text, _ := strings.Cut(strings.ReplaceAll(rest, "$DEED", a.vars["DEED"]), " ")
		os.WriteFile(path, []byte(text), 0o644)
	case "leave":
		words := strings.Fields(rest)
		c := exec.Command(words[0], words[1:]...)
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := c.Start(); err != nil {
			panic(err)
		}
	case "send":
		a.send(rest)
	case "repeat":
		n, what, _ := strings.Cut(rest, " ")
		times, _ := strconv.Atoi(n)
		for range times {
			a.step(what)
		}
	case "pause":
		d, what, _ := strings.Cut(rest, " ")
		long, err := time.ParseDuration(d)
		if err != nil {
			panic(err)
		}
		time.Sleep(long)
		a.step(what)
	case "until":
		text, what, _ := strings.Cut(rest, " ")
		a.step(what)
		for n := 0; n < 2000 && !strings.Contains(a.got, text); n++ {
			time.Sleep(5 * time.Millisecond)
			a.step(what)
		}
	case "usage":
		a.usage = `,"usage":` + rest
	case "silent":
		a.silent = true
	case "hang":
		for a.prompt != "" {
			m, err := a.read()
			if err != nil {
				os.Exit(0)
			}
			a.serve(m)
		}
	case "crash":
		fmt.Fprintln(os.Stderr, "the stand-in falls over")
		os.Exit(3)
	case "end":
		a.end(rest)
	default:
		panic("no such step: " + s)
	}
}

// tell sends an update of the session.
func (a *Agent) tell(update string) {
	a.send(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"$SESSION","update":` + update + `}}`)
}

// modeState is the field of the modes, behind lead, or in braces of its own where lead is
// empty; "" where it has none.
func (a *Agent) modeState(lead string) string {
	if a.modes == nil {
		return ""
	}
	var ids []string
	for _, id := range a.modes {
		ids = append(ids, fmt.Sprintf(`{"id":%q,"name":%q}`, id, id))
	}
	field := fmt.Sprintf(`"modes":{"currentModeId":%q,"availableModes":[%s]}`, a.mode, strings.Join(ids, ","))
	if lead == "" {
		return "{" + field + "}"
	}
	return lead + field
}

func (a *Agent) request(method, params string) (id string) {
	a.asked++
	id = fmt.Sprintf(`"a%d"`, a.asked)
	a.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"%s","params":%s}`, id, method, params))
	return id
}

// call sends a request and serves what comes until its answer.
func (a *Agent) call(method, params string) wire {
	id := a.request(method, params)
	for {
		m, err := a.read()
		if err != nil {
			os.Exit(0)
		}
		if m.Method == "" && string(m.ID) == id {
			return m
		}
		a.serve(m)
	}
}
