package main

import (
	"context"
	"fmt"
	"log/slog"

	"vibey/tools"
)

// discreet is a log that tells no secret: not as it is, in hex or in base64.
// A provider's error may quote the key that it refused. Keys that are typed in
// later count from then on.
type discreet struct {
	slog.Handler
	secrets func() []string
}

// Handle passes a record on without the secrets.
func (d discreet) Handle(ctx context.Context, r slog.Record) error {
	clean := tools.Masker(d.secrets())
	out := slog.NewRecord(r.Time, r.Level, clean(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(masked(a, clean))
		return true
	})
	return d.Handler.Handle(ctx, out)
}

// WithAttrs masks what every record will have.
func (d discreet) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean, out := tools.Masker(d.secrets()), make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		out[i] = masked(a, clean)
	}
	return discreet{d.Handler.WithAttrs(out), d.secrets}
}

// WithGroup keeps the group discreet.
func (d discreet) WithGroup(name string) slog.Handler {
	return discreet{d.Handler.WithGroup(name), d.secrets}
}

// masked is an attribute without the secrets. A value that tells none stays
// what it is, so that a number stays a number.
func masked(a slog.Attr, clean func(string) string) slog.Attr {
	a.Value = a.Value.Resolve()
	switch a.Value.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(clean(a.Value.String()))
	case slog.KindGroup:
		group := a.Value.Group()
		out := make([]slog.Attr, len(group))
		for i := range group {
			out[i] = masked(group[i], clean)
		}
		a.Value = slog.GroupValue(out...)
	case slog.KindAny:
		text := fmt.Sprintf("%+v", a.Value.Any())
		if b, ok := a.Value.Any().([]byte); ok {
			text = string(b)
		}
		if c := clean(text); c != text {
			a.Value = slog.StringValue(c)
		}
	}
	return a
}
