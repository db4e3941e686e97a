package main

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// No line of the log tells a key, in whatever place and form it comes.
func TestLogTellsNoKey(t *testing.T) {
	const key, later = "sk-proj-0123456789abcdef", "sk-later-0123456789abcdef"
	keys := []string{key}
	coded := base64.StdEncoding.EncodeToString([]byte("user:" + key))
	for _, form := range []string{"text", "json"} {
		var out bytes.Buffer
		log := logFlag{form}.logger(&out, slog.LevelDebug, func() []string { return keys })
		log.With("base", key).WithGroup("g").Info("refused "+key,
			"err", fmt.Errorf("401: %w", errors.New("no such key "+key)), "header", coded, "bytes", []byte(key),
			slog.Group("in", "deep", key, "n", 7), "made", struct{ Key string }{key}, "n", 42)
		log.Info("before " + later)
		keys = append(keys, later)
		log.Info("after " + later)
		got := out.String()
		if strings.Contains(got, key) || strings.Contains(got, coded[8:30]) || strings.Count(got, later) != 1 {
			t.Errorf("%s:\n%s", form, got)
		}
		for _, want := range []string{"refused [key]", "no such key [key]", "42", "7", "after [key]"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %q:\n%s", form, want, got)
			}
		}
		keys = keys[:1]
	}
}
