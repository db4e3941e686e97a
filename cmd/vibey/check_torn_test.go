package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
)

// A System section that a kill tore counts for nothing: the one behind it is
// the first.
func TestCheckTornSystem(t *testing.T) {
	now := time.Date(2026, 2, 16, 20, 11, 0, 0, time.UTC)
	head := dialog.Format(&dialog.Dialog{Header: dialog.Header{
		DialogID: "20260216-201100-clean", Provider: "openai", Model: "gpt-5", Status: dialog.Waiting, Started: dialog.FormatTime(now)}})
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
	damaged := head + strings.Replace(system("sys_1"), "əəətools/json\n[]", "əəətools/json\n[{}]", 1) + strings.Replace(system("sys_2"), "\n[]\n", "\n"+`[{"name":"a","input_schema":{"type":"object","properties":{}}}]`+"\n", 1)
	if got := findings(damaged, cleanName, nil); len(got) > 0 {
		t.Errorf("told anew: %v in\n%s", got, damaged)
	}
	twice := findings(text+system("sys_3"), cleanName, nil)
	if !slices.ContainsFunc(twice, func(f string) bool { return strings.HasSuffix(f, ": system") }) {
		t.Errorf("two whole ones: %v", twice)
	}
}

// A grant that a human gave behind one that was torn is genuine: it is sealed
// behind the Mac that the torn one still has. check folds as the server does.
func TestCheckBehindTornGrant(t *testing.T) {
	key := bytes.Repeat([]byte{7}, keySize)
	a := grant.Authority{Key: key, Project: "p", DialogID: "20260216-201100-clean"}
	now := time.Date(2026, 2, 16, 20, 11, 0, 0, time.UTC)
	text := dialog.Format(&dialog.Dialog{Header: dialog.Header{
		DialogID: a.DialogID, Provider: "openai", Model: "gpt-5", Status: dialog.Waiting, Started: dialog.FormatTime(now)}})
	grant := func(id, control string) string {
		d := dialog.Parse(text)
		s := dialog.Section{Role: dialog.Authorization, ID: id, Time: dialog.Span(now, now), Payloads: []dialog.Payload{{Type: dialog.ControlV1, Text: control}}}
		a.Seal(&s, grant.LastMac(d))
		return d.Encode(s)
	}
	ran := func(id, tool string) string {
		d := dialog.Parse(text)
		return d.Encode(
			dialog.Section{Role: dialog.ToolRequest, ID: id, Time: dialog.Span(now, now), Meta: dialog.Fields{{Key: "Tool", Value: tool}, {Key: "Status", Value: "pending"}}, Payloads: []dialog.Payload{{Type: dialog.ToolInput, Text: "{}"}}},
			dialog.Section{Role: dialog.ToolResult, ID: id, Time: dialog.Span(now, now), Meta: dialog.Fields{{Key: "Tool", Value: tool}, {Key: "Status", Value: "approved"}}, Payloads: []dialog.Payload{{Type: dialog.ToolResultJSON, Text: `{"success":true}`}}})
	}
	text += grant("auth_1", "allow edit_file")
	text += ran("c1", "edit_file")
	cut := grant("auth_2", "deny run_command")
	text += cut[:len(cut)-12]
	text += dialog.RepairTail(text, now)
	text += grant("auth_3", "allow write_file")
	text += ran("c2", "write_file")
	if got := strings.Join(findings(text, cleanName, key), ", "); got != "" {
		t.Errorf("%s in\n%s", got, text)
	}
	text += ran("c3", "edit_file") // allowed before the torn one
	if got := strings.Join(findings(text, cleanName, key), ", "); !strings.HasSuffix(got, ": grant") {
		t.Errorf("%q in\n%s", got, text)
	}
}
