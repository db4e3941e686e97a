package tools

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestLaunchAgent(t *testing.T) {
	w := newWorld(t)
	var got LaunchInput
	w.env.Launch = func(_ context.Context, in LaunchInput) (string, error) {
		got = in
		return "20260101-000000-helper", nil
	}
	r, m := w.call("launch_agent", "provider", "claude", "model", "", "prompt", "Do it\n", "slug", "helper", "description", "Help")
	if !r.Success || m["dialogId"] != "20260101-000000-helper" || got != (LaunchInput{Provider: "claude", Prompt: "Do it\n", Slug: "helper", Description: "Help"}) {
		t.Errorf("%s, %+v", r.JSON, got)
	}
}

func TestLaunchAgentRefused(t *testing.T) {
	w := newWorld(t)
	w.env.Launch = func(context.Context, LaunchInput) (string, error) {
		return "", errors.New("4 agents of this family are at work already; wait until one is done")
	}
	if r, m := w.call("launch_agent", "provider", "p", "model", "m", "prompt", "x"); r.Failure != ExecError || !strings.Contains(r.JSON, "4 agents of this family") || len(m) != 2 {
		t.Error(r.JSON)
	}
	if r, _ := w.call("launch_agent", "provider", "p", "model", "m", "prompt", " \n"); r.Failure != Schema {
		t.Error(r.JSON)
	}
	ctx, cancel := context.WithCancel(t.Context())
	w.env.Launch = func(context.Context, LaunchInput) (string, error) { cancel(); return "", context.Canceled }
	if r := w.set.Call(ctx, w.env, "launch_agent", arguments("provider", "p", "model", "m", "prompt", "x")); !r.Interrupted {
		t.Error(r.JSON)
	}
}

func TestAPanicIsAResult(t *testing.T) {
	w := newWorld(t)
	w.env.Launch = func(context.Context, LaunchInput) (string, error) { panic("broken") }
	r, _ := w.call("launch_agent", "provider", "p", "model", "m", "prompt", "x")
	if r.Failure != ExecError || !strings.Contains(r.JSON, "whether it changed anything is not known") {
		t.Error(r.JSON)
	}
}
