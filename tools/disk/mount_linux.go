package disk

import (
	"os"
	"strings"
)

// Mount names for people the disk that a path free of links is on: "nfs4, host:/export at
// /mnt/x"; "" where the system does not tell.
func Mount(path string) string {
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	return mountIn(string(table), path)
}

// mountIn is Mount by a table as in /proc/self/mountinfo: "36 35 98:0 / /mnt/x rw - ext4
// /dev/sda1 rw". Of two at one place the later one hides the other.
func mountIn(table, path string) (name string) {
	plain := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
	longest := ""
	for line := range strings.Lines(table) {
		place, disk, _ := strings.Cut(line, " - ")
		w, d := strings.Fields(place), strings.Fields(disk)
		if len(w) < 5 || len(d) < 2 {
			continue
		}
		at := plain.Replace(w[4])
		if below := path == at || strings.HasPrefix(path, strings.TrimSuffix(at, "/")+"/"); below && len(at) >= len(longest) {
			longest, name = at, d[0]+", "+plain.Replace(d[1])+" at "+at
		}
	}
	return name
}
