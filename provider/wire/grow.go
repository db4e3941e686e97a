package wire

import (
	"errors"

	"vibey/dialog"
)

// argsMost is how many bytes of arguments a parser gathers for one call: of a dialog's
// section the rest goes into a file, but for that a call must end.
const argsMost = 4 * dialog.SectionMost

var errLongArgs = errors.New("the arguments of a call are larger than 64 MiB")

// GrowText adds a piece to what a parser keeps of a text whose pieces it has passed on. It
// keeps one byte more than the text has in a dialog, where it is cut: then the hash of the
// response is not that of a later history, and no reasoning behind it goes back.
func GrowText(kept []byte, piece string) []byte {
	return append(kept, piece[:min(len(piece), dialog.SectionMost+1-min(len(kept), dialog.SectionMost+1))]...)
}

// GrowArgs adds a piece to a call's arguments.
func GrowArgs(args []byte, piece string) ([]byte, error) {
	if len(args)+len(piece) > argsMost {
		return args, errLongArgs
	}
	return append(args, piece...), nil
}
