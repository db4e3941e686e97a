package agent

import (
	"slices"
	"testing"
)

// The lists of folders that an agent is handed name none by the working directory, which
// is the deed for what the agent starts there.
func TestAgentEnv(t *testing.T) {
	got := agentEnv([]string{
		"HOME=/h", "PATH=.:/bin", "PWD=/deed", "OLDPWD=/deed", "VIBEY_ADDR=x", "KEY=a=b", "NODE_PATH=node_modules", "PYTHONPATH=:/lib/py:.", "LD_LIBRARY_PATH=:/opt/lib", "LD_PRELOAD=./x.so:/x.so", "TERM=",
	}, "/bin", "/empty")
	want := []string{"HOME=/h", "KEY=a=b", "PYTHONPATH=/lib/py", "LD_LIBRARY_PATH=/opt/lib", "LD_PRELOAD=/x.so", "TERM=", "PATH=/bin", "PWD=/empty"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
