package turn

import "vibey/dialog"

// wishesNetwork reports whether a confirmed wish is about to allow the network to this
// dialog.
func (t *turn) wishesNetwork(doc string) bool {
	auth, ok := t.wished(doc)
	if !ok {
		return false
	}
	lines, _ := dialog.ParseControl(auth.Text())
	return dialog.AllowsNetwork(lines)
}
