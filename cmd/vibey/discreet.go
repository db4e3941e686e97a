package main

import (
	"context"
	"fmt"
	"log/slog"

	"vibey/tools"
)

// discreet is a log handler that masks secrets, as tools.Masker does: a provider's
// error may quote the key that it refused. secrets is called for each record.
type discreet struct {
	slog.Handler
	secrets func() []string
}

// Handle masks a record's message and attributes.
func (d discreet) Handle(ctx context.Context, r slog.Record) error {
	clean := tools.Masker(d.secrets())
	out := slog.NewRecord(r.Time, r.Level, clean(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(masked(a, clean))
		return true
	})
	return d.Handler.Handle(ctx, out)
}

// WithAttrs masks the attributes.
func (d discreet) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean, out := tools.Masker(d.secrets()), make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		out[i] = masked(a, clean)
	}
	return discreet{d.Handler.WithAttrs(out), d.secrets}
}

// WithGroup returns a discreet handler with the group.
func (d discreet) WithGroup(name string) slog.Handler {
	return discreet{d.Handler.WithGroup(name), d.secrets}
}

// masked masks the secrets of an attribute. A value without any keeps its type, so that
// a number stays a number.
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
