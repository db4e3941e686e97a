package dialog

import (
	"encoding/json"
	"strings"
)

// Succeeded tells whether a result's JSON says "success": true. Of a result
// that begins with it, as our tools' do, no more than that is read.
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

// unansweredResult stands for the result of a call that the file has none of.
const unansweredResult = `{"success":false,"error":"interrupted: no result was recorded for this call, so its outcome is unknown. Check before you rely on it or do it again."}`
