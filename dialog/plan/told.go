package plan

import "strings"

// Told is the plan as a model reads it: what a human stands behind apart from what is
// tentative. It is "" for a doc without items.
func Told(doc string) string {
	items := Items(doc)
	if len(items) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("[PLAN — " + File + "]\n")
	for _, part := range []struct {
		head      string
		confirmed bool
	}{
		{"Confirmed by the human (do not re-litigate):", true},
		{"Inferred or proposed by an agent (tentative: confirm with the human before you rely on it):", false},
	} {
		first := true
		for _, it := range items {
			if it.Confirmed() != part.confirmed {
				continue
			}
			if first {
				b.WriteString("\n" + part.head + "\n")
				first = false
			}
			b.WriteString("- " + string(it.Kind) + ": " + it.Title)
			if it.Choice != "" {
				b.WriteString(": " + it.Choice)
			}
			if it.Why != "" {
				b.WriteString(" (why: " + it.Why + ")")
			}
			b.WriteString("\n")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}
