package dialog

// Continues reports whether s is the Note that a human's Continue left: what counts
// within a turn, such as its rounds, counts anew behind it.
func (s *Section) Continues() bool {
	return s.Role == Note && !s.Torn && s.Meta.Get("By") == "human" && (s.Kind() == "nudge" || s.Kind() == "budget")
}

// Stopped reports whether the governor stopped the last turn, and no Continue came
// since.
func (d *Dialog) Stopped() bool {
	for _, s := range d.Backward() {
		switch {
		case s.Role == User, s.Continues():
			return false
		case s.Role == Note && s.Meta.Has("Stop"):
			return true
		}
	}
	return false
}

// AsksModel reports whether s is a Note that the model is to answer. A Note about a commit
// or an undo waits for the next message, and so does mail without "> Wakes:".
func (s *Section) AsksModel() bool {
	if s.Role != Note || s.Meta.Get("To") != "model" {
		return false
	}
	switch s.Kind() {
	case CommitNote, UndoNote:
		return false
	case MailNote:
		return s.Wakes()
	}
	return true
}

// AnswersKey is the metadata of an agent's Assistant that names the User section which it
// answers, where that is not the last one: what was approved with a prompt comes to its
// end behind that prompt.
const AnswersKey = "Answers"

// coversAnything reports whether s may change what Covers returns.
func (s *Section) coversAnything() bool {
	return !s.Torn && (s.Role == Summary && s.Meta.Has("Covers") || s.Role == Note && s.Kind() == "summary-undone")
}

// Version is how often a section that was there became torn: what was derived from
// the sections before is to be derived anew when it changes.
func (d *Dialog) Version() int { return d.index.version }
