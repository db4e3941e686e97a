package turn

import (
	"errors"

	"vibey/dialog"
	"vibey/tools"
)

// fruitlessMost is how many rounds in a row may bring nothing but calls that
// can't run. No human is asked about such calls, so without an end the model would
// be asked, and paid, for ever.
const fruitlessMost = 10

var errFruitless = errors.New("no call of the last rounds could run")

const fruitlessText = "The model called tools that are not there, or with arguments that can't be read, ten rounds in a row. It was stopped so that it costs no more. Nothing was run. Press Continue to let it try again, or tell it what you want."

// fruitless reports whether the last rounds of this turn brought nothing but
// calls that could not run. A message or a Continue begins the count anew.
func fruitless(d *dialog.Dialog) bool {
	rounds := 0
	for i := len(d.Sections) - 1; i >= 0 && rounds < fruitlessMost; i-- {
		s := &d.Sections[i]
		switch s.Role {
		case dialog.User:
			return false
		case dialog.Note:
			if s.Kind() == "nudge" {
				return false
			}
		case dialog.ToolResult:
			if f := s.Meta.Get("Failure"); f != tools.Schema && f != tools.NotFound {
				return false
			}
		case dialog.Assistant:
			if s.Meta.Has("Stop") { // one in each response
				rounds++
			}
		}
	}
	return rounds >= fruitlessMost
}
