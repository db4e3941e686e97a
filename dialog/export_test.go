package dialog

// What the tests of package dialog_test need of the format's inner parts.

const (
	SlugMax     = slugMax
	StatusWidth = statusWidth
)

var (
	IsFence  = isFence
	NextLine = nextLine
)

// ReadBody returns the place behind the payload whose text begins at from.
func ReadBody(src string, from int) (next int, closed bool) {
	b := readBody(src, from)
	return b.next, b.closed
}

// Roles are all roles of the format.
func Roles() (all []Role) {
	for _, r := range roles {
		all = append(all, r.name)
	}
	return all
}

func (d *Dialog) Src() string    { return d.src }
func (d *Dialog) HeadTorn() bool { return d.headTorn }
func (d *Dialog) Reindex()       { d.reindex() }
func (d *Dialog) LostAt() int    { return d.index.lost }
func (d *Dialog) OpenKept() int  { return len(d.index.open) }

// Extent is where s stands in the text.
func (s *Section) Extent() (from, to int) { return s.off, s.end }

func (s *Section) Written() bool  { return s.written() }
func (s *Section) Unclosed() bool { return s.unclosed }
