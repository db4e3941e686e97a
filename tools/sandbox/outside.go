package sandbox

// Outside tells the processes of a program that runs outside of every sandbox, such as an
// agent of somebody else's, from all others of the machine: what it starts is found also
// where it leaves the process group, and after a kill of this program by the next start
// that has the same Config.Leases.
type Outside struct{ mark mark }

// NewOutside returns one that no other living program has.
func NewOutside() Outside { return Outside{newMark()} }

// Env is the variable that the program gets, NAME=VALUE.
func (o Outside) Env() string { return tagName + "=" + o.mark.tag() }

// Mark marks the program's first process, as soon as it runs. Where the system refuses,
// the variable is what is left.
func (o Outside) Mark(pid int) { o.mark.put(pid) }

// End kills what is left of the program.
func (o Outside) End() { sweep(0, o.mark) }
