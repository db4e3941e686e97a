package wire

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

// Chain is the running hash of a request: SHA-256 over its parts, each
// preceded by its length as 8 bytes big endian.
type Chain struct{ h hash.Hash }

// NewChain returns the hash of nothing.
func NewChain() Chain { return Chain{sha256.New()} }

// Add takes up one part.
func (c Chain) Add(part []byte) {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(part)))
	c.h.Write(n[:])
	c.h.Write(part)
}

// Sum is the hash so far, lowercase hex.
func (c Chain) Sum() string {
	var b [sha256.Size]byte
	return hex.EncodeToString(c.h.Sum(b[:0]))
}

// Fork returns a chain that goes its own way from here.
func (c Chain) Fork() Chain {
	h, err := c.h.(hash.Cloner).Clone()
	if err != nil {
		panic("wire: SHA-256 can't be cloned: " + err.Error()) // the standard library's always can
	}
	return Chain{h}
}
