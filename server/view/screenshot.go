package view

import (
	"errors"
	"io/fs"

	"vibey/tools"
)

// Screenshot returns a picture that a call of the project has kept, by its name. A result
// says "~" of the HOME that its call had, with the network or without, so that both are
// looked at. It returns fs.ErrNotExist if neither has the picture.
func (r *Reader) Screenshot(project, name string) ([]byte, error) {
	for _, network := range []bool{false, true} {
		home, err := r.w.Home(project, network)
		if err != nil {
			return nil, err
		}
		picture, err := tools.Screenshot(home, name)
		if !errors.Is(err, fs.ErrNotExist) {
			return picture, err
		}
	}
	return nil, fs.ErrNotExist
}
