package dialog

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// SHA256 returns the SHA-256 of a text in lowercase hex, as all files, results and
// approvals name it.
func SHA256[T ~string | ~[]byte](text T) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// IsSHA256 reports whether v has the form of such a hash.
func IsSHA256(v string) bool {
	return len(v) == 2*sha256.Size && !strings.ContainsFunc(v, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'f') })
}
