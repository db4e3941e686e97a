package dialog

// Dialog is a parsed dialog file. It is a value of its text: Parse makes it,
// Append extends it by a section, and both ways give the same.
type Dialog struct {
	Header   Header
	Sections []Section
	// Problems tells every place where the text was not canonical enough to be
	// sure what its writer meant. Reading went on behind each.
	Problems []SyntaxError

	src   string // with plain line ends
	ends  []int  // of the sections in the file, where that has others
	index index

	headTorn bool // zeros stand above the first section
}
