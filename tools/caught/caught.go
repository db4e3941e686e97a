// Package caught keeps a panic from ending the program: what was being done
// fails, and nothing else. It is the one place that recovers. Each goroutine of
// this program is begun by Go, runs its work within Do, or says why it can't panic.
//
//	caught.Go(log, "follow a dialog", f)
//	err := caught.Do(func() error { return t.loop() }) // a *caught.Panic if it panicked
//
// What the runtime calls fatal can't be caught: a stack or memory without end,
// a map that two goroutines write at once.
package caught

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/google/uuid"
)

// Panic is a panic as an error.
type Panic struct {
	ID    string // a uuid, under which the log has the stack and a human is told of it
	Value any
	Stack []byte
}

// Error returns the value alone; the stack is for the log.
func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// Of returns the panic that err is or wraps, or nil.
func Of(err error) *Panic {
	p, _ := errors.AsType[*Panic](err)
	return p
}

// Do runs f and returns its error, or its panic as a *Panic. The caller logs it.
func Do(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &Panic{uuid.NewString(), v, debug.Stack()}
		}
	}()
	return f()
}

// Go runs f in a goroutine of its own. A panic of f ends that goroutine and is
// logged as what it failed to do; what f deferred has run by then.
func Go(log *slog.Logger, what string, f func()) {
	go Logged(log, what, f)
}

// Logged runs f, and logs its panic.
func Logged(log *slog.Logger, what string, f func()) {
	Guard(log)(what, func() error { f(); return nil })
}

// Guard returns Do with a log, for packages that must not import this one.
func Guard(log *slog.Logger) func(what string, f func() error) error {
	return func(what string, f func() error) error {
		err := Do(f)
		if p, ok := err.(*Panic); ok {
			p.Log(log, what)
		}
		return err
	}
}

// Log writes the panic with its stack into the log, once, where it was caught.
func (p *Panic) Log(log *slog.Logger, what string, args ...any) {
	if log == nil {
		return
	}
	log.Error("panic: "+what, append(args, "id", p.ID, "panic", fmt.Sprint(p.Value), "stack", string(p.Stack))...)
}
