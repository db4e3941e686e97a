package project

import (
	"errors"
	"io/fs"
	"strings"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/server/project/folder"
)

// refresh checks that the file under the dialog's name is f.file, unchanged since f
// wrote it. If an editor or git changed it, the text is read anew; if it holds all
// that f wrote, the turn goes on with it. Otherwise f's text, with the sections of
// next, which were to be appended, is kept in another file, and the error is a
// *OverwrittenError.
func (f *DialogFile) refresh(next []dialog.Section) error {
	err := f.usable()
	if err == nil {
		err = f.resolveDoubt()
	}
	if err != nil {
		return err
	}
	f.remember(f.inserted) // what Insert wrote: the caller is the goroutine that Dialog belongs to
	f.inserted = nil
	if now, err := f.p.dir.Lstat(f.name()); err == nil && now == f.at {
		return nil
	}
	found := f.follow()
	if found == nil {
		return f.conclude(next)
	}
	// There is no file to go on with under any name of this dialog.
	if err := f.usable(); err != nil {
		return err // deleted with its project
	}
	kept, err := f.keep(next)
	if !errors.Is(found, fs.ErrNotExist) {
		if err != nil { // nor can it be kept: it is the disk
			return found
		}
		err = found
	}
	f.gone = true
	return &OverwrittenError{ID: f.id, Kept: kept, Gone: true, Err: err}
}

// settleTries and settlePause bound the time that an editor may take between
// removing or emptying a file and filling it again.
const (
	settleTries = 10
	settlePause = 10 * time.Millisecond
)

// follow makes the file that has the dialog's name now f.file: the same one, perhaps
// renamed, or another.
func (f *DialogFile) follow() error {
	for range settleTries {
		at, err := f.p.find(f.id)
		if errors.Is(err, fs.ErrNotExist) && f.usable() == nil {
			f.injected("vanished")
			time.Sleep(settlePause)
			continue
		}
		if err != nil {
			return err
		}
		if at.other != "" { // of two files take f.file
			if now, err := f.p.dir.Lstat(at.other); err == nil && now.Same(f.at) {
				at.name, at.stamp = at.other, now
				_, at.status, _ = dialog.ParseName(at.other)
			}
		}
		if at.stamp.Same(f.at) {
			f.st = at.status
			return nil
		}
		file, err := f.p.openAppend(at)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		f.file.Close()
		f.file, f.st = file, at.status
		return nil
	}
	return fs.ErrNotExist
}

// conclude reads the followed file. It returns nil if the turn can go on in it.
func (f *DialogFile) conclude(next []dialog.Section) error {
	src, at, err := f.settled()
	if err != nil {
		return err
	}
	if f.contained(src) {
		return f.takeText(src, at)
	}
	kept, err := f.keep(next)
	return &OverwrittenError{ID: f.id, Kept: kept, Err: errors.Join(err, f.adopt(src, at, next))}
}

// adopt takes the text of an editor that lacks what f wrote. An editor that was
// opened before a call began saves the call's approval without the Note that it
// started; that Note is appended, or the call would run twice.
func (f *DialogFile) adopt(src string, at folder.Stamp, next []dialog.Section) error {
	ours, known := f.d, []dialog.Section{}
	for _, k := range f.own {
		if i := ours.Find(k.role, k.id); i >= 0 {
			known = append(known, ours.Sections[i])
		}
	}
	f.own = nil
	if err := f.takeText(src, at); err != nil {
		return err
	}
	ran := f.d.Ran(ours, append(known, next...))
	for i := range ran {
		if ran[i].Role == dialog.Note && f.d.Find(dialog.Note, ran[i].ID) >= 0 {
			ran[i].ID = f.d.NextID(dialog.Note, f.p.store.o.Now(), len(ran)+i)
		}
	}
	if len(ran) == 0 {
		return nil
	}
	return f.append(ran)
}

// settled reads the file: at once if it only grew, else when it has not changed for
// settlePause, since editors that write in place empty a file first.
func (f *DialogFile) settled() (src string, at folder.Stamp, err error) {
	for range settleTries {
		before := at
		if src, at, err = folder.ReadAll(f.file); err != nil || at == before || f.grown(src) {
			break
		}
		f.injected("settling")
		time.Sleep(settlePause)
	}
	return src, at, err
}

// grown reports whether src begins with all the text that f knows, but for the
// status word.
func (f *DialogFile) grown(src string) bool {
	if int64(len(src)) < f.at.Size || !f.contained(src) {
		return false
	}
	off, ok := dialog.StatusOffset(head(f.src))
	if !ok {
		return strings.HasPrefix(src, f.src)
	}
	rest := off + len(dialog.StatusWord(f.st))
	return strings.HasPrefix(src, f.src[:off]) && strings.HasPrefix(src[rest:], f.src[rest:])
}

// takeText takes the text of another writer, and closes its tail if torn. What f has written
// there without a sync is synced with it.
func (f *DialogFile) takeText(src string, at folder.Stamp) error {
	unsynced := f.unsynced > 0
	f.take(src, at)
	if err := f.repairTail(); err != nil || !unsynced {
		return err
	}
	return f.write("")
}

// contained reports whether src holds every section that f appended, as it was
// written and in that order. What is before and between them may have been edited.
func (f *DialogFile) contained(src string) bool {
	first, _, _ := strings.Cut(src, "\n")
	at, crlf := 0, strings.HasSuffix(first, "\r")
	for _, k := range f.own {
		i := f.d.Find(k.role, k.id)
		if i < 0 {
			continue
		}
		// With the line ends of src: an editor may change them throughout.
		text := string(dialog.AppendSection(nil, &f.d.Sections[i]))
		if crlf {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		j := strings.Index(src[at:], strings.Trim(text, "\r\n"))
		if j < 0 {
			return false
		}
		at += j + 1
	}
	return true
}

// keep writes the text that f knows, and the sections of the append that failed, as
// another dialog, which waits: its id has -2, -3 behind it. It returns the file's
// name.
func (f *DialogFile) keep(next []dialog.Section) (string, error) {
	text := f.src + f.d.Encode(f.d.Sections[f.base:]...) + f.d.Encode(next...)
	if off, ok := dialog.StatusOffset(head(text)); ok {
		word := dialog.StatusWord(dialog.Waiting)
		text = text[:off] + word + text[off+len(word):]
	}
	text += grant.VoidTail(text, f.p.store.o.Now())
	made, err := f.p.createDialog(f.id, 2, dialog.Waiting, func(id string) string { return renamed(text, f.id, id) })
	if err != nil {
		return "", err
	}
	f.p.store.o.Log.Warn("dialog overwritten while it ran", "project", f.p.name, "dialog", f.id, "kept", made.name())
	return made.name(), made.Close()
}

// renamed returns a dialog's text with another id in its header. A header that does
// not have the old one stays as it is.
func renamed(text, old, id string) string {
	line := "> DialogId: " + old
	i := strings.Index(head(text), "\n"+line)
	first := strings.Index(head(text), "\n## ")
	if i < 0 || first >= 0 && i > first {
		return text
	}
	end := i + 1 + len(line)
	if rest := text[end:]; rest != "" && rest[0] != '\n' && rest[0] != '\r' {
		return text
	}
	return text[:end-len(old)] + id + text[end:]
}
