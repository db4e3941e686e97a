package wire

import (
	"encoding/json"
	"errors"
)

// Misfit reports whether an event was JSON, but with a field of another type than
// ours. An API may add events whose fields mean something else; only the
// parser knows whether the event is one that it reads.
func Misfit(err error) bool {
	_, misfits := errors.AsType[*json.UnmarshalTypeError](err)
	return misfits
}
