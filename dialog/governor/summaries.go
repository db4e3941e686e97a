package governor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vibey/dialog"
	"vibey/dialog/history"
)

// Compact returns the Summaries to be appended to d, none where nothing is to be summed up
// that is not yet. They stand for all turns but the last four, or as many fewer as fit
// into the room; then for the older rounds of the running turn, too, and at last for its
// message, of which the beginning and the end stay. They are made of what the record says:
// each message, its last answer, its calls with what came of them, and the ledger.
func Compact(d *dialog.Dialog, room Room) []Compaction {
	users := userSections(d)
	if len(users) == 0 {
		return nil
	}
	c := compacting{d: d, users: users, tooLong: room.TooLong}
	var limited bool
	c.limit, limited = room.limit(d)
	c.most = summaryMost
	if limited {
		c.most = min(max(c.limit/3, 2<<10), summaryMost)
	}
	var best []Compaction
	least := 0
	for kept := keptTurns; kept >= 1; kept-- {
		sums := c.turns(kept)
		n := c.sent(sums)
		if !limited || n <= c.limit {
			return sums // perhaps none: what is there fits
		}
		if len(sums) > 0 && (best == nil || n < least) {
			best, least = sums, n
		}
	}
	now := c.sent(nil)
	if best == nil {
		least = now
	}
	if sums := c.running(); len(sums) > 0 {
		if n := c.sent(sums); n < least || room.TooLong && best == nil {
			return sums
		}
	}
	return best
}

// compacting is one choice of what is summed up.
type compacting struct {
	d     *dialog.Dialog
	users []int // the User sections
	limit int   // bytes that may be sent beside the system text
	most  int   // bytes of a Summary

	tooLong bool
}

// sent is the size of what a model reads beside the system text when sums are appended.
func (c *compacting) sent(sums []Compaction) int {
	covers := slices.Clone(history.Covers(c.d))
	n := 0
	for _, s := range sums {
		covers = slices.DeleteFunc(covers, func(o history.Cover) bool { return o.From <= s.to && s.from <= o.To })
		n += len(s.Text)
	}
	n += sentBytes(c.d, covers)
	for _, s := range sums { // their ranges are disjoint, and of no other cover now
		for i := s.from; i <= s.to; i++ {
			n -= weight(&c.d.Sections[i])
		}
	}
	return n
}

// sum is the Summary of sections from to to with that text, none where they can't be
// named, or are summed up already.
func (c *compacting) sum(from, to int, text func() string) []Compaction {
	for from < to && (c.d.Sections[from].Torn || c.d.Sections[from].Role == dialog.ToolResult) {
		from++ // its id is its call's, which stands before it
	}
	for to > from && (c.d.Sections[to].Torn || c.d.Sections[to].Role == dialog.ToolRequest && c.d.Find(dialog.ToolResult, c.d.Sections[to].ID) > to) {
		to-- // what is torn has no id that can be looked up, and no model reads it; a call as the end of a range means its result
	}
	if from > to || !named(c.d, from) || !named(c.d, to) {
		return nil
	}
	sum := Compaction{Covers: c.d.Sections[from].ID + " - " + c.d.Sections[to].ID, from: from, to: to}
	for _, old := range history.Covers(c.d) {
		if old.From > from || old.To < to {
			continue
		}
		if !c.tooLong || old.From < from || old.To > to {
			return nil
		}
		if sum.Text = text(); len(sum.Text) > c.d.Sections[old.By].Bytes()*3/4 {
			return nil // else a shorter one takes its place, since that one was too long
		}
	}
	if sum.Text == "" {
		sum.Text = text()
	}
	return []Compaction{sum}
}

// turns sums up all turns but the last ones.
func (c *compacting) turns(kept int) []Compaction {
	n := len(c.users) - kept
	if n <= 0 {
		return nil
	}
	to := beginning(c.d, c.users[n]) - 1
	return c.sum(beginning(c.d, c.users[0]), to, func() string {
		var last strings.Builder
		c.lastResults(&last, c.users[n], to)
		return summary(c.d, c.users[:n], to+1, c.most) + last.String()
	})
}

// running sums up all turns but the running one, and of that as many of its rounds as
// have to be, oldest first. Where that is not enough its message is summed up, too.
func (c *compacting) running() []Compaction {
	before := c.turns(1)
	user := c.users[len(c.users)-1]
	rounds := c.rounds(user)
	for n := 1; n <= len(rounds); n++ { // of a long turn the texts are not made only to be thrown away
		to := rounds[n-1]
		if n < len(rounds) && c.sent(append(slices.Clone(before), Compaction{from: user + 1, to: to}))+c.most/2 > c.limit {
			continue
		}
		sums := c.sum(user+1, to, func() string { return c.roundsText(user, n, to) })
		if len(sums) == 0 {
			continue
		}
		if sums = append(slices.Clone(before), sums...); n < len(rounds) || c.sent(sums) <= c.limit || !c.huge(user) {
			return sums
		}
	}
	if !c.huge(user) {
		return before
	}
	to := user
	if len(rounds) > 0 {
		to = rounds[len(rounds)-1]
	}
	return append(slices.Clone(before), c.sum(user, to, func() string { return c.messageText(user, len(rounds), to) })...)
}

// huge reports whether the message is what takes the room.
func (c *compacting) huge(user int) bool {
	return weight(&c.d.Sections[user]) > max(c.limit/2, 4<<10)
}

// rounds returns the last results of the rounds behind the message in section user. It is
// asked where no call is open.
func (c *compacting) rounds(user int) (ends []int) {
	open, last := 0, 0
	for i := user + 1; i < len(c.d.Sections); i++ {
		s := &c.d.Sections[i]
		if s.Torn {
			continue
		}
		switch s.Role {
		case dialog.ToolRequest:
			open++
		case dialog.ToolResult:
			if k := c.d.Find(dialog.ToolRequest, s.ID); k > user && c.d.Find(dialog.ToolResult, s.ID) == i {
				open, last = open-1, i
			}
		case dialog.Assistant, dialog.Reasoning:
			if last > 0 && open == 0 {
				ends, last = append(ends, last), 0
			}
		}
	}
	if last > 0 && open == 0 {
		ends = append(ends, last)
	}
	return ends
}

// roundsText is the Summary of the first n rounds behind the message in section user, up
// to section to.
func (c *compacting) roundsText(user, n, to int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[SUMMARY] This stands for what you did for the message before it up to now, %s. It was made from the record: what it calls done is what results said.\n\n", count(n, "round"))
	c.work(&b, user, to)
	return b.String()
}

// messageText is the Summary of the message in section user, and of all n rounds behind it.
func (c *compacting) messageText(user, n, to int) string {
	var b strings.Builder
	text := dialog.UserMessage(&c.d.Sections[user])
	b.WriteString("[SUMMARY] The human's message has " + bytesWord(len(text)) + ", which is too long for your window. It stands here without its middle; say so where that matters, and ask for what you need in parts, or in a file.\n\n")
	b.WriteString(bothEnds(text, max(c.limit/2, 1<<10)) + "\n\n[end of the message]\n\n")
	if n > 0 {
		fmt.Fprintf(&b, "What you did for it up to now, %s. What this calls done is what results said.\n\n", count(n, "round"))
		c.work(&b, user, to)
	}
	return b.String()
}

// work writes what was done behind the message in section user, up to section to: the last
// words, the calls, the ledger, and the last results.
func (c *compacting) work(b *strings.Builder, user, to int) {
	writeWork(b, c.d, user, to+1, min(wordsMost, c.most/4))
	b.WriteString(LedgerOf(c.d, to+1).Markdown())
	c.lastResults(b, user, to)
}

// lastResults writes what the results that the model has not answered yet begin and end
// with, where their calls are summed up: they stand behind the message in section user, and
// the calls before section to.
func (c *compacting) lastResults(b *strings.Builder, user, to int) {
	var last []*dialog.Section
	for i := len(c.d.Sections) - 1; i > user; i-- {
		s := &c.d.Sections[i]
		if s.Role == dialog.ToolResult && !s.Torn {
			if c.d.Find(dialog.ToolRequest, s.ID) > to {
				return // it stays whole
			}
			last = append(last, s)
		} else if s.Role == dialog.ToolRequest || s.Role == dialog.Assistant || s.Role == dialog.Reasoning {
			break
		}
	}
	slices.Reverse(last)
	for _, s := range last {
		fmt.Fprintf(b, "\nThe result of your last call of %s:\n\n%s\n", s.Tool(), bothEnds(s.Text(), max(c.limit/3/len(last), 500)))
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "one " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

func bytesWord(n int) string { return count(n, "byte") }
