package helper

import (
	"encoding/json"
)

// Plan is what the helper is told, as JSON in its arguments. It holds no secret:
// the command can read it in /proc.
type Plan struct {
	Dir     string   `json:"dir"`
	List    []string `json:"list,omitempty"`  // folders in which names may be listed, with all below
	Read    []string `json:"read,omitempty"`  // files and folders that may be read and run
	Write   []string `json:"write,omitempty"` // that may be changed as well
	Device  []string `json:"device,omitempty"`
	Network bool     `json:"network,omitempty"`
	Own     bool     `json:"own,omitempty"`    // it has namespaces of its own, the network's among them unless Network
	Listen  []int    `json:"listen,omitempty"` // ports of its own loopback that the server answers
	Serve   int      `json:"serve,omitempty"`  // stay, and connect the server to this port
	Limits  Limits   `json:"limits"`

	Supervise bool   `json:"supervise,omitempty"` // stay as the parent of all that the command starts
	Open      bool   `json:"open,omitempty"`      // no walls: the supervisor alone
	Mark      uint64 `json:"mark,omitempty"`      // the supervisor's, see PutMark
	ABI       int    `json:"abi,omitempty"`       // the newest version of Landlock to use; 0 is the kernel's
}

// Limits are what one command may use of the machine.
type Limits struct {
	Procs uint64 `json:"procs"` // of the user, within its user namespace if it has one
	File  uint64 `json:"file"`  // bytes in one file
	Files uint64 `json:"files"` // open in one process
}

func (p Plan) String() string {
	b, _ := json.Marshal(p) // strings and numbers: it can't fail
	return string(b)
}

// The descriptors that a command's first process gets.
const (
	GateFD    = 3
	LeashFD   = 3 // where a supervisor has it: the socket to the server
	SelfFD    = 4 // this program
	ControlFD = 5 // a socket to the server, where there is one
	askFD     = 5 // below a supervisor that decides about signals: a socket to it
)

// helperWord is this program's first argument where it is to be the helper.
const helperWord = "sandbox-helper"

// Argv is the command line of the helper for a plan and a command.
func (p Plan) Argv(command string) []string {
	return []string{"/proc/self/fd/4", helperWord, p.String(), command}
}

// abi is the version of Landlock that holds for the command, 0 where there is none.
func (p Plan) abi() int {
	if p.ABI > 0 {
		return min(p.ABI, ABI())
	}
	return ABI()
}

// rules are those of the filter.
func (p Plan) rules() rules {
	return rules{own: p.Own, network: p.Network, ask: !p.Own && p.abi() < ScopedSignals}
}
