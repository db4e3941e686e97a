package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vibey/server/project"
	"vibey/tools/disk"
)

// state is the folder of what agents must not read or write: the install key, the
// token, the providers' keys, the HOMEs of commands. This package decides what is in
// it; tools/disk replaces its files.
//
//	key        32 bytes: what makes an approval a human's (see grant.Authority)
//	token      one line: what every request bears
//	keys.json  the providers' keys that were typed in
//	providers  one NAME=API,BASE_URL[,KEY_ENV] a line, by a human's hand
//	mcp        one NAME[,KEY_ENV]=COMMAND or NAME[,KEY_ENV]=URL a line, by a human's hand
//	codes/     login codes, hashed, that are not used yet
//	address    where a server on this state serves now
//	home/      a HOME for each project, of commands without the network
//	home-network/  another, of those that a human has allowed it
//	agents     one NAME=COMMAND a line, by a human's hand
//	agent-cwd/ for each agent over ACP that runs the empty folder that it starts in
//	home-mcp/  for each project the HOMEs of MCP servers that have a key or the network
//	commands/  a locked file for each program of ours that runs commands
//	git/       what stood in repositories before the commands that run now
type state struct {
	dir   string     // absolute, without links
	root  *os.Root   // nil if it is not there, for a verb that makes none
	place disk.Place // of root
	user  int        // whose it is: this process's
	tell  func(text string)
}

// openState opens the state dir for a verb that writes there, and makes it if it is
// missing, for its owner alone. What is ours in it and open to others is closed; tell is
// given a sentence for each key that was. root is the folder of projects: agents read and
// write below it, so the state must not be there. A state dir that another user could have
// written in, or can read, is an error (see checkWay, private).
func openState(dir, root string, tell func(text string)) (*state, error) {
	s, err := lookState(dir, root, tell)
	if err != nil || s.root != nil {
		return s, err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, unable{fmt.Errorf("make the state dir: %w", err)}
	}
	made := s.dir
	_ = os.Chmod(made, 0o700) // whatever the umask; what the disk makes of it is looked at next
	if s, err = lookState(dir, root, tell); err != nil {
		os.Remove(made) // what is refused is not left
	} else if s.root == nil {
		err = unable{fmt.Errorf("the state dir %s was removed right after it was made", dir)}
	}
	return s, err
}

// lookState is openState for a verb that only reads: it makes nothing.
func lookState(dir, root string, tell func(text string)) (*state, error) {
	return lookStateAs(os.Geteuid(), dir, root, tell)
}

func lookStateAs(user int, dir, root string, tell func(text string)) (*state, error) {
	real, err := realPath(dir) // what is refused is not made
	if err != nil {
		return nil, unable{fmt.Errorf("open the state dir: %w", err)}
	}
	if root != "" {
		if r, err := realPath(root); err == nil && (real == r || strings.HasPrefix(real, r+string(filepath.Separator))) {
			return nil, unable{fmt.Errorf("the state dir %s lies inside the projects' folder %s, where agents can read it: name another one with --state", dir, root)}
		}
	}
	s := &state{dir: real, user: user, tell: tell}
	abs, err := filepath.Abs(dir)
	if err == nil {
		err = checkWay(abs, homeFolder(), s.user)
	}
	if err == nil {
		err = s.hold(abs)
	}
	if err != nil {
		return nil, unable{fmt.Errorf("the state dir is refused: %w", err)}
	}
	return s, nil
}

// hold opens the state dir, if it is there, and makes all in it private. given is the path
// by which it was named.
func (s *state) hold(given string) error {
	root, err := os.OpenRoot(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	s.root = root
	folder, err := root.Open(".")
	if err == nil {
		defer folder.Close()
		err = s.holdFolder(folder)
	}
	if err == nil {
		s.place, err = disk.PlaceOf("the state dir", root, given)
	}
	if err != nil {
		root.Close()
	}
	return err
}

// stands returns a *disk.AwayError if the state dir is not where it was found any more.
func (s *state) stands() error {
	if s.root == nil {
		return nil
	}
	return s.place.Stands()
}

func (s *state) holdFolder(folder *os.File) error {
	info, err := folder.Stat()
	if err != nil {
		return err
	}
	if owner(info) == s.user { // of another's nothing is read
		err = checkIsState(s.dir, folder)
	}
	if err == nil {
		_, err = s.privateFile(s.dir, folder)
	}
	if err == nil {
		err = s.sweep()
	}
	return err
}

// checkIsState refuses a folder that holds other things and nothing of a state: hold
// closes it to all others.
func checkIsState(dir string, folder *os.File) error {
	entries, err := folder.ReadDir(-1)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch e.Name() {
		case "key", "token", "providers", "agents", mcpFile, keysFile, "codes", addressFile, homes, networkHomes, serverHomes, standing:
			return nil
		}
	}
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !disk.IsTemp(e.Name()) }) {
		return fmt.Errorf("%s holds other things and is no state dir: name an empty or a new one with --state", dir)
	}
	return nil
}

// homeFolder returns this user's home, nil if there is none.
func homeFolder() fs.FileInfo {
	home, _ := os.UserHomeDir()
	info, _ := os.Stat(home)
	return info
}

// realPath returns the absolute path without links, also of what is not there yet.
func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(abs)
	if errors.Is(err, fs.ErrNotExist) && abs != filepath.Dir(abs) {
		parent, err := realPath(filepath.Dir(abs))
		return filepath.Join(parent, filepath.Base(abs)), err
	}
	return real, err
}

func (s *state) path(name ...string) string {
	return filepath.Join(append([]string{s.dir}, name...)...)
}

// keySize is the size of the install key in bytes.
const keySize = 32

// key is the install key, made at the first call.
func (s *state) key() ([]byte, error) {
	k, err := s.secret("key", func() []byte { return random(keySize) })
	if err == nil && len(k) != keySize {
		err = fmt.Errorf("%s has %d bytes, not %d: put the right one back, or remove it, and every approval counts as not yet confirmed", s.path("key"), len(k), keySize)
	}
	return k, err
}

// keyIfMade is the install key, nil if there is none yet: then Macs are not judged, which
// it says to note.
func (s *state) keyIfMade(note io.Writer) ([]byte, error) {
	key, err := s.read("key")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		fmt.Fprintf(note, "vibey: there is no install key in %s, so Macs are not judged\n", s.dir)
		return nil, nil
	case err == nil && len(key) != keySize:
		err = fmt.Errorf("%s is no install key", s.path("key"))
	}
	return key, err
}

// token is what every request must bear, made at the first call.
func (s *state) token() (string, error) {
	b, err := s.secret("token", func() []byte {
		return []byte(base64.RawURLEncoding.EncodeToString(random(32)) + "\n")
	})
	t := strings.TrimSpace(string(b))
	if err == nil && (len(t) < 16 || len(t) > 128) {
		err = fmt.Errorf("%s does not hold a token of 16 to 128 characters: remove it, and a new one is made", s.path("token"))
	}
	return t, err
}

// secret reads a file, which it makes where there is none. Of two processes
// that make it at the same time one wins, and both get what the winner made.
func (s *state) secret(name string, make func() []byte) ([]byte, error) {
	b, err := s.read(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return b, err
	}
	err = s.change(name, func(old *os.File) ([]byte, error) {
		if old != nil {
			return nil, fs.ErrExist
		}
		return make(), nil
	})
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return s.read(name)
}

// open opens a file of the state dir for reading, if it is this user's and no link. It is
// fs.ErrNotExist if the file is missing.
func (s *state) open(name string) (*os.File, error) {
	if s.root == nil {
		return nil, &fs.PathError{Op: "open", Path: s.path(name), Err: fs.ErrNotExist}
	}
	f, err := disk.Open(s.root, name)
	if err != nil {
		return nil, err
	}
	if _, err := s.privateFile(s.path(name), f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// read reads a file of the state dir as open opens it.
func (s *state) read(name string) ([]byte, error) {
	f, err := s.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// replace writes a file whole, for its owner alone.
func (s *state) replace(name string, data []byte) error {
	return s.change(name, func(*os.File) ([]byte, error) { return data, nil })
}

// change is disk.Change for a file of the state dir, under its lock. The file outlives
// a power cut, since without the key the approvals that it sealed are void.
func (s *state) change(name string, edit func(old *os.File) ([]byte, error)) error {
	if err := s.stands(); err != nil {
		return err
	}
	unlock, err := disk.Lock(context.Background(), s.root)
	if err != nil {
		return err
	}
	defer unlock()
	_, err = disk.Change(s.root, name, 0o600, edit)
	return err
}

// The folders of HOMEs, one for commands with the network and one for those without: a
// command without it could leave a .npmrc, a program in .local/bin or a poisoned build
// cache that a later one would run with it. Within the third each project has a folder,
// and in it each MCP server that has a key or the network its own HOME.
const (
	homes        = "home"
	networkHomes = "home-network"
	serverHomes  = "home-mcp"
)

// agentDirs is the folder of those in which agents over ACP start.
const agentDirs = "agent-cwd"

// standing is the folder of what stood in repositories (see sandbox.Config).
const standing = "git"

// home makes and names the HOME that a project's commands have, by whether
// they have the network.
func (s *state) home(project string, network bool) (string, error) {
	if network {
		return s.makeFolder(networkHomes, project)
	}
	return s.makeFolder(homes, project)
}

// makeFolder makes and names a folder in the state dir, and those above it; none where the
// state dir went away, for it would stand in its place.
func (s *state) makeFolder(name ...string) (path string, err error) {
	if err = s.stands(); err == nil {
		err = s.root.MkdirAll(filepath.Join(name...), 0o700)
	}
	return s.path(name...), err
}

// serverHome makes and names the HOME of an MCP server of a project.
func (s *state) serverHome(project, server string) (string, error) {
	return s.makeFolder(serverHomes, project, server)
}

// agentDir makes and names the empty folder in which the agent of a dialog starts, and
// returns what removes it. What an agent of that dialog left there when its server was
// killed is removed first. The caller must hold the lock of the dialog's agent.
func (s *state) agentDir(project, dialogID string) (dir string, remove func(), err error) {
	if err := os.RemoveAll(s.path(agentDirs, project, dialogID)); err != nil {
		return "", nil, err
	}
	dir, err = s.makeFolder(agentDirs, project, dialogID)
	remove = func() {
		os.RemoveAll(dir)
		os.Remove(filepath.Dir(dir)) // of its last agent
	}
	return dir, remove, err
}

// forget sets a project's HOMEs aside: all, or none where it returns an error.
func (s *state) forget(name string) (project.Aside, error) {
	var roots []*os.Root
	var all []project.Aside
	end := func(do func(i int) error) (err error) {
		for i := range all {
			err = errors.Join(err, do(i))
		}
		for _, root := range roots {
			root.Close()
		}
		return err
	}
	back := func() error { return end(func(i int) error { return all[i].Back() }) }
	for _, dir := range []string{homes, networkHomes, serverHomes, agentDirs} {
		root, err := os.OpenRoot(s.path(dir))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var aside project.Aside
		if err == nil {
			roots = append(roots, root)
			aside, err = project.SetAside(root, name)
		}
		if err != nil {
			return project.Aside{}, errors.Join(fmt.Errorf("take away the HOME of its commands: %w", err), back())
		}
		all = append(all, aside)
	}
	remove := func() error { return end(func(i int) error { return project.Sweep(roots[i]) }) } // what a kill left too
	return project.Aside{Remove: remove, Back: back}, nil
}

func random(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // never fails: crypto/rand ends the program instead
	return b
}
