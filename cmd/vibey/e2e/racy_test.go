//go:build race

package e2e

// Under -race the program is built so, too.
func init() { buildFlags = append(buildFlags, "-race") }
