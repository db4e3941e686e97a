package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"vibey/dialog"
)

// A System section that a kill tore counts for nothing: the one behind it is
// the first.
func TestCheckTornSystem(t *testing.T) {
	now := time.Date(2026, 2, 16, 20, 11, 0, 0, time.UTC)
	head := dialog.Format(&dialog.Dialog{Header: dialog.Header{
		DialogID: "20260216-201100-clean", Provider: "openai", Model: "gpt-5", Status: dialog.Waiting, Started: dialog.Stamp(now)}})
	system := func(id string) string {
		return string(dialog.AppendSection(nil, &dialog.Section{Role: dialog.System, ID: id, Time: dialog.Span(now, now),
			Payloads: []dialog.Payload{{Type: dialog.SystemMarkdown, Text: "You are."}, {Type: dialog.ToolsJSON, Text: "[]"}}}))
	}
	cut := head + system("sys_1")[:len(system("sys_1"))-30]
	text := cut + dialog.RepairTail(cut, now) + system("sys_2")
	got := findings(text, cleanName, nil)
	if len(got) > 0 {
		t.Errorf("%v in\n%s", got, text)
	}
	twice := findings(text+system("sys_3"), cleanName, nil)
	if !slices.ContainsFunc(twice, func(f string) bool { return strings.HasSuffix(f, ": system") }) {
		t.Errorf("two whole ones: %v", twice)
	}
}
