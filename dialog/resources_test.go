package dialog

import (
	"math"
	"strings"
	"testing"
)

// A file may claim any cost. Sums stay at the most there is.
func TestAbsurdResources(t *testing.T) {
	d := Parse(strings.Repeat("## Assistant\n> Resources: in=999999999999999999 out=1 total=999999999999999999 tools=0 ms=7\n\nəəəoutput/markdown\nx\nəəə\n", 20))
	if sum := d.Cumulative(); sum.In != math.MaxInt64 || sum.Total != math.MaxInt64 || sum.Out != 20 || sum.MS != 140 {
		t.Errorf("%v", sum)
	}
}
