package tools

// Masker returns a func that takes secrets out of text as results have them
// taken out: as they are, in hex, and in base64. Secrets under 8 bytes stay.
func Masker(secrets []string) func(text string) string { return newMask(secrets).clean }
