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
