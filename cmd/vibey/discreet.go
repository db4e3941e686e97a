package main

import (
	"fmt"
	"log/slog"

	"vibey/tools"
)

// masking returns what masks the secrets in a log's messages and attributes, as
// tools.Masker does: a provider's error may quote the key that it refused. A value without
// any keeps its type, so that a number stays a number. secrets is called for each.
func masking(secrets func() []string) func(groups []string, a slog.Attr) slog.Attr {
	return func(_ []string, a slog.Attr) slog.Attr {
		if kind := a.Value.Kind(); kind != slog.KindString && kind != slog.KindAny {
			return a
		}
		text := fmt.Sprintf("%+v", a.Value.Any())
		if b, ok := a.Value.Any().([]byte); ok {
			text = string(b)
		}
		if clean := tools.Masker(secrets())(text); clean != text {
			a.Value = slog.StringValue(clean)
		}
		return a
	}
}
