package chat

import (
	"encoding/json"

	"vibey/provider/wire"
)

// call is one tool call as it grows.
type call struct {
	index    int
	id, name string
	args     []byte
	extra    json.RawMessage
}

// grow adds a delta to the call that it is of. Servers differ: most number the
// calls and send the id once; some repeat the id, some number all of them 0 and
// send each whole, some leave out the number, or the id.
func (p *parser) grow(d *callDelta) (err error) {
	c := p.find(d)
	if c == nil {
		c = &call{index: len(p.calls)}
		if d.Index != nil {
			c.index = *d.Index
		}
		p.calls = append(p.calls, c)
	}
	p.last = c
	if c.id == "" {
		c.id = d.ID
	}
	if n := d.Function.Name; n != "" && n != c.name && len(c.args) == 0 {
		c.name += n
	}
	c.args, err = wire.GrowArgs(c.args, d.Function.Args)
	if len(d.Extra) > 0 && string(d.Extra) != "null" {
		c.extra = append([]byte(nil), d.Extra...)
	}
	return err
}

func (p *parser) find(d *callDelta) *call {
	for i := len(p.calls) - 1; i >= 0; i-- {
		c := p.calls[i]
		switch {
		case d.Index != nil && c.index != *d.Index:
		case d.ID != "" && c.id != "" && d.ID != c.id:
			if d.Index != nil {
				return nil // the same number, another call
			}
		case d.Index == nil && d.ID == "" && d.Function.Name != "":
			return nil // a whole call without number and id
		case d.Index == nil && d.ID == "":
			return p.last
		case d.Index == nil && c.id == "":
		default:
			return c
		}
	}
	return nil
}

// extras is what the calls must carry back, as a native payload.
func (p *parser) extras() string {
	var n native
	some := false
	for _, c := range p.calls {
		n.Extra = append(n.Extra, c.extra)
		some = some || c.extra != nil
	}
	if !some {
		return ""
	}
	b, err := json.Marshal(n)
	if err != nil {
		return "" // they came out of a JSON decoder, so they are JSON
	}
	return string(b)
}
