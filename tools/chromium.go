package tools

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"vibey/tools/browser"
	"vibey/tools/disk"
	"vibey/tools/sandbox"
)

// browserLimit is the longest that one page is looked at, the browser's start
// included.
const browserLimit = 30 * time.Second

// openPage opens a page in a Chromium of its own, which runs like a command: behind the
// same walls and can write nothing there; the page reaches the project's servers and
// nothing else, unless the network is allowed; and it is ended with all its children. It returns nil and the call's result
// where no page could be looked at.
func openPage(ctx context.Context, env Env, tool, address string) (*looked, Result) {
	deed, refused := openFor(env, purpose{tool, "page", "the page was not looked at"}, "")
	if deed == nil {
		return nil, refused
	}
	deed.Close()
	if err := mayOpen(env, address); err != nil {
		return nil, notRun(Permission, "%v", err)
	}
	level := env.Sandbox.Level()
	if level == sandbox.Landlock || level == sandbox.Container {
		return nil, notRun(ExecError, "no browser can run at the sandbox level %s, for it lets no program open the sockets that a browser needs. Tell the human: %s Until then test the page with curl by run_command.", level, env.Sandbox.Why())
	}
	limited, cancel := context.WithTimeout(ctx, browserLimit)
	defer cancel()
	profile, err := newProfile(env)
	if err != nil {
		return nil, notRun(ExecError, "the page was not looked at: %v", disk.Cause(err))
	}
	defer profile.remove()
	srv, err := startChromium(env, profile)
	if err != nil {
		return nil, notRun(ExecError, "the page was not looked at: %s.", disk.Words(err))
	}
	defer srv.Stop()
	if _, err := askHealth(limited, srv, browserLimit); err != nil {
		return nil, noChromium(ctx, srv, err)
	}
	var reach http.RoundTripper
	if !env.Network {
		reach = previewsOf(env)
	}
	page, err := browser.Look(limited, "ws://"+srv.Preview, address, reach)
	body := &looked{
		URL: cmp.Or(page.URL, address), Status: page.Status, Title: clip(page.Title, 200), Messages: page.Messages, Failed: page.Failed, More: page.More, Sandbox: string(level),
	}
	switch {
	case ctx.Err() != nil:
		return nil, interrupted()
	case limited.Err() != nil:
		body.Error = fmt.Sprintf("the page was not loaded within %v. Look whether its server answers (server_logs), then try again.", browserLimit)
	case err != nil && page.Status < 400:
		body.Error = fmt.Sprintf("the page was not loaded: %v. Look whether its server runs (server_logs), then try again.", err)
	default:
		body.Error = verdictOf(page, env.Network)
	}
	if page.Moved {
		body.Asked = address
	}
	switch {
	case len(page.Picture) > 0:
		if body.Screenshot, err = keepFile(env.Home, "screenshots", page.Picture, ".png"); err != nil {
			body.Note = "The picture could not be kept: " + disk.Cause(err).Error() + "."
		}
	case body.Error == "":
		body.Note = "No picture of it could be taken."
	}
	if page.Restless {
		body.Note = strings.TrimSpace(body.Note + fmt.Sprintf(" The page was still loading something after %v.", browser.Settle))
	}
	body.Success = body.Error == ""
	return body, Result{}
}

// mayOpen returns nil, or in words why a page may not be looked at: it must be of a
// server of this project, or of anywhere once a human has allowed the network.
func mayOpen(env Env, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return fmt.Errorf("'%s' is no address of a page. Send the previewUrl that start_server gave, such as http://127.0.0.1:8000/", clip(address, 300))
	}
	if env.Network {
		return nil
	}
	var all []string
	for host := range previewsOf(env) {
		if u.Host == host && u.Scheme == "http" {
			return nil
		}
		all = append(all, "http://"+host+"/")
	}
	if len(all) == 0 {
		return fmt.Errorf("'%s' is no page of this project, for none of its servers runs. Start one with start_server, and send its previewUrl", clip(address, 300))
	}
	slices.Sort(all)
	return fmt.Errorf("'%s' is no page of this project, and the network is not allowed. The previews that run are: %s", clip(address, 300), strings.Join(all, ", "))
}

// previewsOf are the project's servers by the host and port of their previews.
func previewsOf(env Env) previews {
	all := previews{}
	for _, s := range env.Sandbox.Servers(env.ProjectDir) {
		all[s.Preview] = s
	}
	return all
}

// previews send a page's requests to the servers of its project, and to nothing else.
type previews map[string]*sandbox.Server

func (p previews) RoundTrip(r *http.Request) (*http.Response, error) {
	srv := p[r.URL.Host]
	if srv == nil || r.URL.Scheme != "http" {
		return nil, browser.ErrForbidden
	}
	t := &http.Transport{DisableKeepAlives: true, DialContext: func(context.Context, string, string) (net.Conn, error) { return srv.Dial() }}
	return t.RoundTrip(r)
}

// chromiums are the names that a Chromium is installed under.
var chromiums = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless_shell", "chrome-headless-shell"}

// startChromium starts one whose DevTools listen on a port of its own network.
func startChromium(env Env, p profile) (*sandbox.Server, error) {
	port, err := freeLoopback()
	if err != nil {
		return nil, err
	}
	s := sandbox.Spec{Dir: deedDir(env), Project: env.ProjectDir, Home: env.Home, Deed: deedDir(env), Network: env.Network, ReadOnly: env.Sandbox.HoldsReadOnly()}
	s.Command = chromiumCommand(env, p, port)
	return env.Sandbox.Browse(s, port)
}

// profile is the folder that a browser keeps what it knows in, as a shell says it. It
// ends with the browser.
type profile struct {
	path   string
	remove func()
}

// newProfile makes one, or names one in the folder for temporary files that a command
// has for itself.
func newProfile(env Env) (profile, error) {
	if env.Sandbox.HoldsReadOnly() {
		return profile{`"$TMPDIR/profile"`, func() {}}, nil
	}
	dir, err := os.MkdirTemp("", "vibey-browser-")
	return profile{sandbox.Quote(dir), func() { os.RemoveAll(dir) }}, err
}

// chromiumCommand runs the first that is installed. Its own sandbox can't be had within ours, nor by root; elsewhere it is on.
func chromiumCommand(env Env, p profile, port int) string {
	flags := []string{
		"--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--no-default-browser-check", "--disable-extensions", "--disable-sync",
		"--disable-background-networking", "--disable-features=HttpsUpgrades", "--disable-component-update", "--disable-breakpad", "--mute-audio", "--hide-scrollbars",
		"--user-data-dir=" + p.path, "--remote-debugging-address=127.0.0.1", "--remote-debugging-port=" + strconv.Itoa(port),
	}
	if env.Sandbox.Level() == sandbox.Bwrap || os.Geteuid() == 0 {
		flags = append(flags, "--no-sandbox")
	}
	if !env.Network { // what goes past the page's own requests leads nowhere, also without walls
		flags = append(flags, "--proxy-server=http://127.0.0.1:9", `--proxy-bypass-list="<-loopback>"`, "--force-webrtc-ip-handling-policy=disable_non_proxied_udp")
	}
	return `for b in ` + strings.Join(chromiums, " ") + `; do
	if command -v "$b" >/dev/null; then exec "$b" ` + strings.Join(flags, " ") + ` about:blank; fi
done
exit 127`
}

// freeLoopback returns a port that no program listens on.
func freeLoopback() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// noChromium is the result of a call whose browser did not come up.
func noChromium(ctx context.Context, srv *sandbox.Server, err error) Result {
	switch {
	case ctx.Err() != nil:
		return interrupted()
	case !srv.Running() && srv.Outcome().ExitCode == 127:
		return notRun(ExecError, "no Chromium is installed here where commands find it (PATH). Ask the human to install one, as by 'apt install chromium', and start vibey again. Until then test the page with curl by run_command.")
	case !srv.Running():
		return notRun(ExecError, "the browser ended with exit code %d before it showed anything: %s", srv.Outcome().ExitCode, clip(serverOutput(srv), 1000))
	}
	return notRun(ExecError, "the browser did not start within %v: %v. Try again; tell the human if it stays so.", browserLimit, err)
}
