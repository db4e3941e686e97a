package server

import "net/http"

// health is the program's version, and what contains commands right now.
type health struct {
	Version string `json:"version"`
	Sandbox string `json:"sandbox"`
}

func (s *server) getHealth(w http.ResponseWriter, _ *http.Request) error {
	level := "none"
	if s.SandboxLevel != nil {
		level = s.SandboxLevel()
	}
	return writeJSON(w, health{s.Version, level})
}
