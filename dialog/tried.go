package dialog

// TriedKey is in the Note that a call started, with the value "yes", where the call is
// tried: what it does counts only once its effect is released.
const TriedKey = "Tried"

// Tried reports whether the call with that id was started to be tried: the first Note that
// it started says so, and the call had no result then. effect is the index of the first Note
// of its effect behind that one, or -1: there is none yet, or it is damaged.
func (d *Dialog) Tried(id string) (effect int, ok bool) {
	at, ok := d.index.tried[id]
	if at <= 0 {
		return -1, ok
	}
	return int(at), ok
}

// indexTried takes in section i, a Note about the call parent, before it is known to have
// started.
func (d *Dialog) indexTried(i int, parent string) {
	ix, s := &d.index, &d.Sections[i]
	whole := !s.Torn && !s.unclosed && !s.lost && !s.bare && s.Loose == ""
	at, tried := ix.tried[parent]
	switch k := d.Find(ToolRequest, parent); {
	case k < 0 || d.Sections[k].answered:
	case s.Kind() == StartedNote && whole && !ix.started[parent] && s.Meta.Get(TriedKey) == "yes":
		if ix.tried == nil {
			ix.tried = make(map[string]int32)
		}
		ix.tried[parent] = 0
	case s.Kind() != EffectNote || !tried || at != 0:
	case whole:
		ix.tried[parent] = int32(i)
	default:
		ix.tried[parent] = -1 // none behind it counts
	}
}
