package turn

import (
	"fmt"
	"os"

	"vibey/dialog"
	"vibey/tools/instructions"
)

// instructionsKey is the metadata that holds the hash of what a model was told of the
// deed's own instructions and of skills.
const instructionsKey = "Instructions"

// instructions is what the deed itself tells agents, and the skills, as they stand now.
func (t *turn) instructions() (string, error) {
	p := t.in.Project
	var deed *os.Root
	if dir, err := p.DeedDir(); err == nil { // what leads where it may not is not read either
		switch deed, err = os.OpenRoot(dir); {
		case err == nil:
			defer deed.Close()
		case instructions.Broken(err) != nil: // of another that can't be opened, nothing is read
			return "", fmt.Errorf("the deed could not be opened: %w", err)
		}
	}
	text, err := instructions.Text(deed, p.Root())
	if err != nil {
		return "", fmt.Errorf("what the deed tells agents could not be read: %w", err)
	}
	return text, nil
}

// tellInstructions is the Note before a prompt where they are others than the model was
// told last. It is of Kind codebase, like the other Note of what the deed is now.
func (t *turn) tellInstructions(told []dialog.Section) ([]dialog.Section, error) {
	text, err := t.instructions()
	if err != nil {
		return nil, err
	}
	known, _ := t.known(told, "codebase", instructionsKey)
	if known == hashOf(text) {
		return nil, nil
	}
	words := "[INSTRUCTIONS CHANGED] This is what the deed tells agents now, and the skills; it replaces what you were told of them before.\n\n" + text
	if text == "" {
		words = "[INSTRUCTIONS CHANGED] The deed has no AGENTS.md and no skills any more. What you were told of them no longer holds."
	}
	return t.tellAnew(told, "codebase", words, dialog.Field{Key: instructionsKey, Value: hashOf(text)}), nil
}
