package provider

// Memo is what an adapter keeps between two requests of one dialog. Only the
// adapter that filled it reads it; another one finds nothing and starts anew.
type Memo struct {
	// State is the adapter's own, nil at first.
	State any
}
