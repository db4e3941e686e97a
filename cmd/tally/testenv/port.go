package testenv

import (
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
)

var had sync.Map // port: true

// Port returns a port of this machine that nobody listens on, and that no test of this
// process had before: in walls of its own a server holds none of this machine's. It lies
// below those that systems hand out by themselves (32768 up on Linux, 49152 up elsewhere):
// else a listener of another test has it before the server that it was chosen for.
func Port(t testing.TB) int {
	t.Helper()
	for range 100 {
		port := 20000 + rand.IntN(12000)
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			l.Close()
			if _, again := had.LoadOrStore(port, true); !again {
				return port
			}
		}
	}
	t.Fatal("no free port found")
	return 0
}
