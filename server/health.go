package server

import "net/http"

// health is the program's version, what contains commands right now, and where a first
// visit begins.
type health struct {
	Version string   `json:"version"`
	Sandbox string   `json:"sandbox"`
	Why     string   `json:"sandboxWhy,omitempty"`    // why no stronger level holds, and what to do about it
	Remedy  string   `json:"sandboxRemedy,omitempty"` // its commands for a shell, a line each, where they are known
	Durable *bool    `json:"durable,omitempty"`       // false where a power cut may take what was acknowledged, else absent
	Welcome *welcome `json:"welcome,omitempty"`       // absent once something else was begun
}

// welcome is the dialog of the first-run project, whose question waits.
type welcome struct {
	Project  string `json:"project"`
	DialogID string `json:"dialogId"`
}

func (s *server) getHealth(w http.ResponseWriter, _ *http.Request) error {
	level := "none"
	if s.SandboxLevel != nil {
		level = s.SandboxLevel()
	}
	h := health{Version: s.Version, Sandbox: level}
	if s.SandboxWhy != nil {
		h.Why = s.SandboxWhy()
	}
	if s.SandboxRemedy != nil {
		h.Remedy = s.SandboxRemedy()
	}
	if s.Durable != nil && !s.Durable() {
		h.Durable = new(bool)
	}
	if s.Welcome != nil {
		if name, id := s.Welcome(); id != "" {
			h.Welcome = &welcome{name, id}
		}
	}
	return writeJSON(w, h)
}
