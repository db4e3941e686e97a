package plan

import (
	"fmt"
	"slices"
	"strings"
)

// tentativeMost is how many bytes of tentative items of each kind a model is sent, the
// newest of them: models write them without end, and each change sends the plan anew.
const tentativeMost = 6 << 10

// ForModel is the plan as a model reads it: what a human stands behind apart from what is
// tentative. It is "" for a doc without items.
func ForModel(doc string) string {
	items := Items(doc)
	if len(items) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("[PLAN — " + File + "]\n")
	var confirmed, tentative []string
	room, left := map[Kind]int{Decision: tentativeMost, Task: tentativeMost, Idea: tentativeMost}, 0
	for _, it := range slices.Backward(items) {
		line := it.line()
		switch {
		case it.Confirmed():
			confirmed = append(confirmed, line)
		case len(line) > room[it.Kind]:
			room[it.Kind] = 0 // nor what is older
			left++
		default:
			room[it.Kind] -= len(line)
			tentative = append(tentative, line)
		}
	}
	slices.Reverse(confirmed)
	slices.Reverse(tentative)
	if len(confirmed) > 0 {
		b.WriteString("\nConfirmed by the human (do not re-litigate):\n" + strings.Join(confirmed, ""))
	}
	if len(tentative)+left > 0 {
		b.WriteString("\nInferred or proposed by an agent (tentative: confirm with the human before you rely on it):\n" + strings.Join(tentative, ""))
	}
	if left > 0 {
		fmt.Fprintf(&b, "(%d older ones are left out here; %s has them.)\n", left, File)
	}
	return strings.TrimRight(b.String(), "\n")
}

// line is the item as a line of what a model reads.
func (it Item) line() string {
	line := "- " + string(it.Kind) + ": " + it.Title
	if it.Choice != "" {
		line += ": " + it.Choice
	}
	if it.Why != "" {
		line += " (why: " + it.Why + ")"
	}
	return line + "\n"
}
