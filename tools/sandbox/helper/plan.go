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
	Order   int      `json:"order,omitempty"`  // the descriptor at which the command is told; 0: it is an argument
	Limits  Limits   `json:"limits"`

	Overlays []Overlay `json:"overlays,omitempty"` // what the command sees through a layer

	Supervise bool   `json:"supervise,omitempty"` // stay as the parent of all that the command starts
	Open      bool   `json:"open,omitempty"`      // no walls: the supervisor alone
	Mark      uint64 `json:"mark,omitempty"`      // the supervisor's, see PutMark
	ABI       int    `json:"abi,omitempty"`       // the newest version of Landlock to use; 0 is the kernel's
}

// LayersDir is the folder within the walls that holds a command's layers until its first
// process has mounted them. The command finds it empty.
const LayersDir = "/.layers"

// Overlay is a folder that the command sees through a layer: it reads what stands there, and
// what it writes goes to the folder up in In, which lies below LayersDir.
type Overlay struct {
	At string `json:"at"`
	In string `json:"in"`
}

// LayerCaps are the capabilities, as bubblewrap names them, that the first process needs to
// mount layers. The kernel writes a layer with them; the command itself has none.
var LayerCaps = []string{"CAP_SYS_ADMIN", "CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID"}

// LayerWords begin what the helper says where a layer could not be mounted.
const LayerWords = "mount a layer"

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
	LeashFD   = 3 // where a supervisor has it: the socket to the server
	SelfFD    = 4 // this program
	ControlFD = 5 // a socket to the server, where there is one
	orderFD   = 6 // below a supervisor: where the command is told
	askFD     = 5 // below a supervisor that decides about signals: a socket to it
)

// helperWord is this program's first argument where it is to be the helper.
const helperWord = "sandbox-helper"

// Argv is the command line of the helper for a plan and a command, which is not in it
// where it is told later.
func (p Plan) Argv(command string) []string {
	if p.Order != 0 {
		command = ""
	}
	return []string{"/proc/self/fd/4", helperWord, p.String(), command}
}
