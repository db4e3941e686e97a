package brief

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"vibey/server/project"
	"vibey/tools/codebase"
	"vibey/tools/instructions"
)

// deedText is what a model reads of the deed, read once for each prompt.
type deedText struct {
	instructions string // of the deed itself, and the skills, as the package instructions writes them; "" if there are none
	codebase     string // what the deed holds, as the package codebase writes it
}

// readDeed reads the deedText as the deed stands now.
func readDeed(p *project.Project, deeds *codebase.Cache) (deedText, error) {
	deed, state, err := openDeed(p)
	if err != nil {
		return deedText{}, err
	}
	if deed != nil {
		defer deed.Close()
		state = deeds.Summary(deed)
	}
	text, err := instructions.Text(deed, p.Root(), p.DocNames)
	if err != nil {
		return deedText{}, fmt.Errorf("what the deed tells agents could not be read: %w", err)
	}
	return deedText{text, state}, nil
}

// openDeed opens the deed's folder. If the folder can't be read, which may last, deed is nil
// and state is what the model reads of that. An error is one of the machine.
func openDeed(p *project.Project) (deed *os.Root, state string, err error) {
	dir, err := p.DeedDir()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, codebase.Empty, nil // the first write makes it
	}
	if err != nil {
		return nil, codebase.Unreadable, nil // a link that leads out of bounds is not read
	}
	deed, err = os.OpenRoot(dir)
	if instructions.Broken(err) != nil {
		return nil, "", fmt.Errorf("the deed could not be opened: %w", err)
	}
	if err != nil {
		return nil, codebase.Unreadable, nil
	}
	return deed, "", nil
}
