package grant

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"

	"vibey/dialog"
)

// sealDomain keeps these Macs apart from any other use of the install key.
const sealDomain = "vibey/auth/1"

// Authority is what a Mac is made with, by which a human's grant differs from text
// that looks like one: the key of this installation, the project and the dialog.
type Authority struct {
	Key      []byte
	Project  string
	DialogID string // from the file name, not from the header
	// ProjectID is what a confirmed wish is bound to beside the name; "" confirms none.
	ProjectID string
	// InFiles honours control text that an editor's hand put into the file: an
	// Authorization without a Mac.
	InFiles bool
}

// Mac returns the lowercase hex HMAC-SHA256 of an Authorization of this dialog.
// prev is the Mac of the Authorization before it, "" for the first.
func (a Authority) Mac(id, time, payload, prev string) string {
	return a.mac(sealDomain, a.Project, a.DialogID, id, time, payload, prev)
}

// mac is the lowercase hex HMAC-SHA256 over parts, each preceded by its length
// as 8 bytes big endian. The first part keeps one use of the key from another.
func (a Authority) mac(parts ...string) string {
	h := hmac.New(sha256.New, a.Key)
	var size [8]byte
	for _, part := range parts {
		binary.BigEndian.PutUint64(size[:], uint64(len(part)))
		h.Write(size[:])
		h.Write([]byte(part))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// settingsDomain keeps the Macs of words about settings apart from all others.
const settingsDomain = "vibey/settings/1"

// SettingsMac returns the lowercase hex HMAC-SHA256 of a human's word, in the Note with
// that id, that an agent may start beside settings with that hash.
func (a Authority) SettingsMac(id, hash string) string {
	return a.mac(settingsDomain, a.Project, a.DialogID, id, hash)
}

// AllowsSettings reports whether s is such a Note of this installation.
func (a Authority) AllowsSettings(s *dialog.Section, hash string) bool {
	return len(a.Key) > 0 && s.Role == dialog.Note && !s.Torn && s.Meta.Get("Settings") == hash &&
		hmac.Equal([]byte(s.Meta.Get("Mac")), []byte(a.SettingsMac(s.ID, hash)))
}

// Seal sets the Mac of s, an Authorization that is to be appended behind the one
// with the Mac prev.
func (a Authority) Seal(s *dialog.Section, prev string) {
	s.Meta = s.Meta.With("Mac", a.Mac(s.ID, s.Time, s.Text(), prev))
}

// Genuine reports whether s has this installation's Mac, chained to prev. It cannot
// detect a duplicate id, or what damage left beside the payload; Builder does.
func (a Authority) Genuine(s *dialog.Section, prev string) bool {
	if len(a.Key) == 0 || !soundControl(s) {
		return false
	}
	return hmac.Equal([]byte(s.Meta.Get("Mac")), []byte(a.Mac(s.ID, s.Time, s.Text(), prev)))
}

// LastMac returns the Mac of the last Authorization, to which the next is chained,
// or "".
func LastMac(d *dialog.Dialog) string {
	for _, i := range slices.Backward(d.Authorizations()) {
		if s := &d.Sections[i]; s.Role == dialog.Authorization {
			return s.Meta.Get("Mac")
		}
	}
	return ""
}

// InputHash is the lowercase hex SHA-256 to which an approval is bound: of the
// request's payload bytes, "{}" for none.
func InputHash(input string) string {
	if input == "" {
		input = "{}"
	}
	return dialog.SHA256(input)
}

// saveDomain keeps the Macs of what humans saved apart from all others.
const saveDomain = "vibey/save/1"

// SaveMac returns the lowercase hex HMAC-SHA256 of what is said of a human's save of a doc.
func (a Authority) SaveMac(doc string, said ...string) string {
	return a.mac(append([]string{saveDomain, a.Project, doc}, said...)...)
}
