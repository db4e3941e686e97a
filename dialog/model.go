package dialog

// Model returns the provider and the model that the next request goes to: the header's,
// or those that the last User section to name any asked for. Either is "" where
// the file does not say, or no longer in a way that can be read.
func (d *Dialog) Model() (provider, model string) {
	named := false
	for _, s := range d.Backward() {
		if s.Role != User {
			continue
		}
		p, m := s.Meta.Get("Provider"), s.Meta.Get("Model")
		if !named && (p != "" || m != "") {
			model, named = Readable(m), true
		}
		if p != "" {
			return Readable(p), model
		}
	}
	if !named {
		model = Readable(d.Header.Model)
	}
	return Readable(d.Header.Provider), model
}

// Readable is a value of metadata, or "" for what no writer puts there.
func Readable(v string) string {
	if !OneLine(v) {
		return ""
	}
	return v
}
