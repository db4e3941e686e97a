package helper

import "testing"

// TestNewerLandlock: what a kernel is asked to refuse, by the version that can.
func TestNewerLandlock(t *testing.T) {
	const resolveUnix = 1 << 16
	if handled(8).Handled_access_fs&resolveUnix != 0 || handled(9).Handled_access_fs&resolveUnix == 0 || writeRights&resolveUnix != 0 {
		t.Error("sockets of others must be refused from version 9 on")
	}
}
