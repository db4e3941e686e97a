package dialog

import "strings"

// A program that can't merge two versions of a file, such as git, leaves both in it:
//
//	<<<<<<< HEAD
//	one version
//	=======
//	the other
//	>>>>>>> branch
//
// It goes by lines that the versions have in common, and so its marks stand among the
// metadata of one section and in the payload of the next. Which of the two was meant only
// a human knows: a merge that begins outside of a payload counts for nothing up to the
// next heading that is certainly one. In a payload the marks are text like any other.
const (
	mergeBegin = "<<<<<<< "
	mergeEnd   = "\n>>>>>>> "
	// mergeMarked stands in the Note about a merge. No merge reaches beyond it, so that nothing
	// that is appended later can end one.
	mergeMarked = "\n> Kind: conflict\n"
)

// mergeText is what the Note behind a merge says.
const mergeText = "Another program, such as git, merged two versions of this file and left both above, between lines that begin with <<<<<<< and >>>>>>>. " +
	"What stands there is kept as it was and counts for nothing: the messages in it reach no model. To have one version count, take out the marks and the other version in an editor; " +
	"or write again below what is still wanted."

// mergeEndBehind returns the start of the line behind the merge that begins at src[at:], or
// behind its first mark if the last one is missing; -1 where none begins.
func (p *parser) mergeEndBehind(at int) int {
	if !strings.HasPrefix(p.src[at:], mergeBegin) {
		return -1
	}
	if at >= p.endlessMerge && at < p.mergeMost {
		return nextLine(p.src, at)
	}
	if p.mergeMost <= at {
		p.mergeMost = len(p.src)
		if i := strings.Index(p.src[at:], mergeMarked); i >= 0 {
			p.mergeMost = at + i + 1
		}
		p.endlessMerge = p.mergeMost
	}
	i := strings.Index(p.src[at:p.mergeMost], mergeEnd)
	if i < 0 {
		p.endlessMerge = at
		return nextLine(p.src, at)
	}
	return nextLine(p.src, at+i+1)
}

// loseMerge ends s at p.at, where a merge begins that ends before end, and reads on at the
// next heading behind it that is certainly one and stands in no further merge. It returns
// what section returns.
func (p *parser) loseMerge(s *Section, x extent, end int) (Role, int) {
	p.problem(p.at, "merge", "two versions were merged here, as by git, and both are left; what stands between the marks counts for nothing, and reaches no model")
	to := p.resume(end, anywhere)
	for next := p.mergeOver(end, to); next >= 0; next = p.mergeOver(end, to) {
		end, to = next, p.resume(next, anywhere)
	}
	p.merging = true
	defer func() { p.merging = false }()
	return p.leave(s, x, to, anywhere)
}

// mergeOver returns the end of the merge that begins in src[from:to] and ends behind to, or
// -1. from is the start of a line.
func (p *parser) mergeOver(from, to int) int {
	for at := from; at < to; {
		if end := p.mergeEndBehind(at); end > to {
			return end
		} else if end >= 0 {
			at = end
			continue
		}
		i := strings.Index(p.src[at:to], "\n"+mergeBegin)
		if i < 0 {
			break
		}
		at += i + 1
	}
	return -1
}
