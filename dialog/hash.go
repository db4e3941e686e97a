package dialog

import (
	"crypto/sha256"
	"encoding/hex"
)

// SHA256 returns the SHA-256 of a text in lowercase hex, as all files, results and
// approvals name it.
func SHA256[T ~string | ~[]byte](text T) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
