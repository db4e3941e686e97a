package sandbox

import (
	"encoding/json"

	"golang.org/x/sys/unix"
)

// plan is what the helper is told, as JSON in its arguments. It holds no secret:
// the command can read it in /proc.
type plan struct {
	Dir     string   `json:"dir"`
	List    []string `json:"list,omitempty"`  // folders in which names may be listed, with all below
	Read    []string `json:"read,omitempty"`  // files and folders that may be read and run
	Write   []string `json:"write,omitempty"` // that may be changed as well
	Device  []string `json:"device,omitempty"`
	Network bool     `json:"network,omitempty"`
	Own     bool     `json:"own,omitempty"`    // it has namespaces of its own, the network's among them unless Network
	Listen  []int    `json:"listen,omitempty"` // ports of its own loopback that the server answers
	Serve   int      `json:"serve,omitempty"`  // stay, and connect the server to this port
	Limits  limits   `json:"limits"`

	Supervise bool   `json:"supervise,omitempty"` // stay as the parent of all that the command starts
	Open      bool   `json:"open,omitempty"`      // no walls: the supervisor alone
	Program   uint32 `json:"program,omitempty"`   // the supervisor's mark
	Command   uint32 `json:"command,omitempty"`
	ABI       int    `json:"abi,omitempty"` // the newest version of Landlock to use; 0 is the kernel's
}

// limits are what one command may use of the machine.
type limits struct {
	Procs uint64 `json:"procs"` // of the user, within its user namespace if it has one
	File  uint64 `json:"file"`  // bytes in one file
	Files uint64 `json:"files"` // open in one process
}

func (p plan) String() string {
	b, _ := json.Marshal(p) // strings and numbers: it can't fail
	return string(b)
}

// The descriptors that a command's first process gets.
const (
	gateFD    = 3
	leashFD   = 3 // where a supervisor has it: the socket to the server
	selfFD    = 4 // this program
	controlFD = 5 // a socket to the server, where there is one
	askFD     = 5 // below a supervisor that decides about signals: a socket to it
)

// helperWord is this program's first argument where it is to be the helper.
const helperWord = "sandbox-helper"

// helper is the command line of the helper for a plan.
func (p plan) helper(command string) []string {
	return []string{"/proc/self/fd/4", helperWord, p.String(), command}
}

// abi is the version of Landlock that holds for the command, 0 where there is none.
func (p plan) abi() int {
	if p.ABI > 0 {
		return min(p.ABI, landlockABI())
	}
	return landlockABI()
}

// rules are those of the filter.
func (p plan) rules() rules {
	return rules{own: p.Own, network: p.Network, ask: !p.Own && p.abi() < scopedSignals}
}

// limits returns a command's limits. own: its processes are counted apart.
func (c Config) limits(own bool) limits {
	l := limits{Procs: uint64(c.Procs), File: uint64(c.Disk), Files: 8192}
	if !own { // the user's others are counted too
		l.Procs += tasks()
	}
	return l
}

// tasks is how many threads the machine runs now.
func tasks() uint64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return uint64(info.Procs)
}
