//go:build !linux

package disk

// Mount returns "": this system does not tell what a disk is called.
func Mount(string) string { return "" }
