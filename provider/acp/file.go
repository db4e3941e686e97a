package acp

// ReadFileParams are those of fs/read_text_file. Line counts from 1; 0 is the first,
// and a Limit of 0 is all lines.
type ReadFileParams struct {
	SessionID string `json:"sessionId"`
	Path      string `json:"path"` // absolute
	Line      int    `json:"line,omitempty"`
	Limit     int    `json:"limit,omitempty"`
}

// ReadFileResult answers ReadFileParams.
type ReadFileResult struct {
	Content string `json:"content"`
}

// WriteFileParams are those of fs/write_text_file; its answer is an empty object.
type WriteFileParams struct {
	SessionID string  `json:"sessionId"`
	Path      string  `json:"path"` // absolute
	Content   *string `json:"content"`
}

// TerminalParams are those of terminal/create.
type TerminalParams struct {
	SessionID string   `json:"sessionId"`
	Command   string   `json:"command"`
	Args      []string `json:"args,omitempty"`
	Env       []EnvVar `json:"env,omitempty"`
	CWD       string   `json:"cwd,omitempty"` // absolute
	Limit     int      `json:"outputByteLimit,omitempty"`
}

// EnvVar is one variable of a command.
type EnvVar struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// TerminalResult answers terminal/create.
type TerminalResult struct {
	TerminalID string `json:"terminalId"`
}

// TerminalRef are the params of all other methods about a terminal.
type TerminalRef struct {
	SessionID  string `json:"sessionId"`
	TerminalID string `json:"terminalId"`
}

// TerminalOutput answers terminal/output. Exit is nil while the command runs.
type TerminalOutput struct {
	Output    string        `json:"output"`
	Truncated bool          `json:"truncated"`
	Exit      *TerminalExit `json:"exitStatus,omitempty"`
}

// TerminalExit is how a command ended, and answers terminal/wait_for_exit.
type TerminalExit struct {
	ExitCode *int    `json:"exitCode"`
	Signal   *string `json:"signal"`
}
