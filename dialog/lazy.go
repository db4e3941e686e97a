package dialog

import (
	"regexp"
	"sync"
)

// Lazily makes an expression when it is first asked for: else each start of this program
// would pay for it, the one within a command's walls as well.
func Lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
