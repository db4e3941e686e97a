package sandbox

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"vibey/tools/sandbox/helper"
)

// mark tells a command's processes from all others of the machine: which
// program runs it, and its number there. The zero mark is none.
type mark struct{ program, command uint32 }

// A mark has 24 bits for the command, and the others for the program.
const (
	commandBits = 24
	programBits = helper.MarkBits - commandBits
)

// thisProgram is the number by which commands of this program are known. It is
// new each time that the program starts.
var thisProgram = func() uint32 {
	var b [4]byte
	rand.Read(b[:])
	return binary.NativeEndian.Uint32(b[:])>>(32-programBits) | 1 // never 0
}()

var commands atomic.Uint32

// newMark returns a mark that no other living command has.
func newMark() mark { return mark{thisProgram, commands.Add(1) % (1 << commandBits)} }

// tag is the mark as the command's environment shows it.
func (m mark) tag() string { return fmt.Sprintf("%08x-%06x", m.program, m.command) }

// number is the mark as one number.
func (m mark) number() uint64 { return uint64(m.program)<<commandBits | uint64(m.command) }
