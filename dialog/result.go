package dialog

import (
	"encoding/json"
	"strings"
)

// Succeeded reports whether a result's JSON has "success": true. A result of our
// tools begins with it, and is read no further.
func Succeeded(result string) bool {
	if strings.HasPrefix(result, `{"success":true,`) || result == `{"success":true}` {
		return true
	}
	if strings.HasPrefix(result, `{"success":false`) {
		return false
	}
	var r struct {
		Success bool `json:"success"`
	}
	return json.Unmarshal([]byte(result), &r) == nil && r.Success
}

// unansweredResult is sent as the result of a call that has none in the file.
const unansweredResult = `{"success":false,"error":"interrupted: no result was recorded for this call, so its outcome is unknown. Check before you rely on it or do it again."}`
