package governor

import (
	"strings"

	"vibey/dialog"
)

// speech is the response that the model gave last, and whether anything came for the
// model since: a message, a result, a Note that is sent. A response is several
// sections; the first one behind what came for the model begins it, and the Assistant
// with "> Stop:" ends it where there are no calls.
type speech struct {
	open   bool   // nothing came since; the fields below are of that response
	ended  bool   // its end is there: another Assistant begins another response
	calls  bool   // it has calls, so that their results follow and the model speaks again
	said   bool   // it has words
	text   string // its words
	broken bool   // it was cut off, or the provider failed behind it
	stop   string // why it ended, as its section says
	halted bool   // a human stopped one of its calls
}

// over reports whether the model has had its word, and called nothing.
func (x *speech) over() bool { return x.open && !x.calls }

// hear takes in an Assistant or Reasoning section.
func (x *speech) hear(s *dialog.Section) {
	if !x.open || x.ended {
		*x = speech{open: true}
	}
	if s.Role != dialog.Assistant {
		return
	}
	if strings.TrimSpace(s.Text()) != "" {
		if x.said {
			x.text += "\n\n"
		}
		x.said, x.text = true, x.text+s.Text()
	}
	stop := s.Meta.Get("Stop")
	x.ended, x.stop = stop != "", stop
	x.broken = s.CutOff()
}

// request takes in a call and reports whether it is the first of its response.
func (x *speech) request() bool {
	if !x.open {
		*x = speech{open: true}
	}
	first := !x.calls
	x.calls = true
	return first
}

// forModel takes in a result or another text for the model, which is to speak.
func (x *speech) forModel() { x.open, x.broken = false, false }
