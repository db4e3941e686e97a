package grant

// Target is the file that a write_file or edit_file call names, as it stands. Of a tried
// command that waits with its effect it has Conflicts alone.
type Target struct {
	Path   string `json:"path"`             // "" for Conflicts alone
	SHA256 string `json:"sha256,omitempty"` // lowercase hex; "" where there is none, or where it was too large to be read
	Exists bool   `json:"exists"`
	Bytes  int64  `json:"bytes"`
	// Stale is set if the call would be refused: what stands there is not what the dialog's
	// results named last.
	Stale bool `json:"stale,omitempty"`
	// Conflicts are the paths of an effect where something else stands by now than the command
	// found: approving it leaves them as they are.
	Conflicts []Conflict `json:"conflicts,omitempty"`
}

// Conflict is one path that an effect would not be put to.
type Conflict struct {
	Path string `json:"path"`
}

// Word is how an approval names the file: its hash, NoFile where there is
// none, and "" for no target or one without a hash.
func (t *Target) Word() string {
	if t == nil || t.Path == "" {
		return ""
	}
	if !t.Exists {
		return NoFile
	}
	return t.SHA256
}

// Place is Line.Path of an approval that is for the file where it was shown to lie;
// "" for no target, and for a path that no line can hold.
func (t *Target) Place() string {
	if t == nil || !isPlace(t.Path) {
		return ""
	}
	return t.Path
}
