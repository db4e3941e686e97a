package server

import "net/http"

// Health is the program's version, what contains commands right now, and where a first
// visit begins.
type Health struct {
	Version string `json:"version"`
	Sandbox string `json:"sandbox"`
	Why     string `json:"sandboxWhy,omitempty"`    // why no stronger level holds, and what to do about it
	Remedy  string `json:"sandboxRemedy,omitempty"` // its commands for a shell, a line each, if they are known
	// Layers reports whether what commands write can be kept apart from their deed, and
	// LayersBy how: "overlay" or "copy".
	Layers   bool     `json:"layers"`
	LayersBy string   `json:"layersBy,omitempty"`
	Durable  *bool    `json:"durable,omitempty"` // false if a power cut may take what was acknowledged, else absent
	Welcome  *Welcome `json:"welcome,omitempty"` // absent once something else was begun
}

// Welcome is the dialog of the first-run project, whose question waits.
type Welcome struct {
	Project  string `json:"project"`
	DialogID string `json:"dialogId"`
}

func (s *server) getHealth(w http.ResponseWriter, _ *http.Request) error {
	h := s.Health()
	h.Version = s.Version
	return writeJSON(w, h)
}
