package history

import (
	"errors"
	"fmt"
	"slices"

	"vibey/dialog"
	"vibey/dialog/jsontext"
)

// Validate returns why a provider would refuse h, or nil: it begins with
// the user, every call of the model is answered directly behind the model's
// words and in their order, ids are unique, arguments are objects, no text is
// blank, no reasoning ends what the model said, and the user has the last word.
func Validate(h History) error {
	if len(h.Items) == 0 {
		return errors.New("it has no items")
	}
	if h.Items[0].Kind != UserText {
		return errors.New("it does not begin with the user's text")
	}
	if h.Stable < 0 || h.Stable > len(h.Items) {
		return fmt.Errorf("%d of %d items are stable", h.Stable, len(h.Items))
	}
	v := validator{ids: make(map[string]bool)}
	for i := range h.Items {
		if err := v.item(&h.Items[i]); err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
	}
	if len(v.open) > 0 {
		return fmt.Errorf("call %q has no result", v.open[0].CallID)
	}
	if last := h.Items[len(h.Items)-1].Kind; last != UserText && last != PictureItem && last != ResultItem {
		return errors.New("the model has the last word")
	}
	return nil
}

// validator is where one walk over the items stands.
type validator struct {
	ids       map[string]bool
	open      []*Item // calls without a result
	answering bool    // results have begun to come
	thinking  bool    // the item before was reasoning
}

func (v *validator) item(it *Item) error {
	if it.Kind != ReasoningItem && it.Kind != AssistantText && it.Kind != CallItem {
		if v.thinking {
			return errors.New("reasoning stands before it that led to nothing")
		}
	} else if v.answering && len(v.open) > 0 {
		return fmt.Errorf("call %q has no result before it", v.open[0].CallID)
	}
	v.thinking = it.Kind == ReasoningItem
	v.answering = it.Kind == ResultItem
	switch it.Kind {
	case UserText, PictureItem, AssistantText:
		if it.Kind != AssistantText && len(v.open) > 0 {
			return fmt.Errorf("call %q has no result before it", v.open[0].CallID)
		}
		if dialog.IsBlank(it.Text) {
			return errors.New("its text is blank")
		}
	case ReasoningItem:
		if !jsontext.IsObject(it.Native) || it.API == "" {
			return errors.New("its native form is no object of a named API")
		}
	case CallItem:
		return v.call(it)
	case ResultItem:
		return v.result(it)
	default:
		return fmt.Errorf("it is of kind %d", it.Kind)
	}
	return nil
}

func (v *validator) call(it *Item) error {
	switch {
	case !dialog.ValidCallID(it.CallID):
		return fmt.Errorf("%q is no id of a call", it.CallID)
	case v.ids[it.CallID]:
		return fmt.Errorf("another call has the id %q", it.CallID)
	case !dialog.ValidToolName(it.Tool):
		return fmt.Errorf("%q is no tool's name", it.Tool)
	case !jsontext.IsObject(it.Args):
		return fmt.Errorf("the arguments are no JSON object: %q", it.Args)
	}
	v.ids[it.CallID] = true
	v.open = append(v.open, it)
	return nil
}

func (v *validator) result(it *Item) error {
	switch {
	case len(v.open) == 0:
		return fmt.Errorf("no call waits for the result %q", it.CallID)
	case v.open[0].CallID != it.CallID || v.open[0].Tool != it.Tool:
		return fmt.Errorf("the result %q of %s stands where that of %q belongs", it.CallID, it.Tool, v.open[0].CallID)
	case dialog.IsBlank(it.Text):
		return errors.New("its text is blank")
	}
	v.open = slices.Delete(v.open, 0, 1)
	return nil
}
