package dialog

// Dialog is a parsed dialog file. It is a value of its text: Parse makes it,
// Append extends it by a section, and both ways give the same.
type Dialog struct {
	Header   Header
	Sections []Section
	// Problems are the lines at which the text was not canonical enough to be sure
	// what its writer meant. Reading went on behind each.
	Problems []SyntaxError

	src    string // with LF line ends
	ends   []int  // of the sections in the file, where that has others
	index  index
	shifts []Shift // where src stands in the file, where gaps of that are left out

	headTorn bool // a NUL stands above the first section
}
