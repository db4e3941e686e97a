package change

// Steps returns all changes in their order. The caller must not change them.
func (c *Log) Steps() []Step { return c.all }

// From returns the SHA-256 of what stood there before, "" for no file, also where that
// can't be taken back; known is false where the text does not tell.
func (s *Step) From() (sha string, known bool) {
	if s.from == nil {
		return "", false
	}
	return *s.from, true
}
