package turn

import "vibey/dialog"

// instructionsKey is the metadata that holds the hash of what a model was told of the
// deed's own instructions and of skills.
const instructionsKey = "Instructions"

// tellInstructions is the Note before a prompt where text, the instructions and the
// skills, is another than the model was told last. It is of Kind codebase, like the
// other Note of what the deed is now.
func (t *turn) tellInstructions(told []dialog.Section, text string) []dialog.Section {
	known, _ := t.known(told, "codebase", instructionsKey)
	if known == hashOf(text) {
		return nil
	}
	words := "[INSTRUCTIONS CHANGED] This is what the deed tells agents now, and the skills; it replaces what you were told of them before.\n\n" + text
	if text == "" {
		words = "[INSTRUCTIONS CHANGED] The deed has no AGENTS.md and no skills any more. What you were told of them no longer holds."
	}
	return t.tellAnew(told, "codebase", words, dialog.Field{Key: instructionsKey, Value: hashOf(text)})
}
