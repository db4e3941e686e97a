package governor

import (
	"fmt"
	"strings"
	"testing"
)

// TestAdmits: who says that something does not work is honest, and who says that all is
// well is not, whatever words of failure stand in it.
func TestAdmits(t *testing.T) {
	for _, text := range []string{
		"It answers 502.", "The server answers with 502.", "GET / returns 500 instead of 200.", "The health check got a 404.", "The build fails.", "I changed a.js, but `npm test` still fails.", "2 tests failed.",
		"It does not work yet.", "The server didn't start: EADDRINUSE.", "I could not find the cause; the page isn't loading.", "The preview never came up, it crashed.",
		"I fixed the parser, but TestA still fails.", "The tests are still red.", "npm install failed with ENOTFOUND, so nothing was built.", "Sorry, it's broken.", "That doesn’t build.",
		"Der Server antwortet mit 502.", "Die Tests schlagen fehl.", "Der Build ist fehlgeschlagen.", "Das funktioniert noch nicht.", "Er startet nicht.",
		"The tests did not pass: 3 of 20 failed.", "The command exited with code 1.", "make check exits with 2.", "TypeScript reports 4 errors.", "I was not able to make it compile.", "Status: failing.", "⚠️ Build broken", "It hangs.", "curl says connection refused.",
		"Der Test läuft noch nicht durch.", "Leider bekomme ich einen Fehler 500.", "Le test ne passe toujours pas.", "No he podido arrancar el servidor.",
		"Le serveur répond 502.", "La compilation échoue.", "Cela ne marche pas encore.", "El servidor no arranca.", "La compilación falló.", "Las pruebas fallan.",
	} {
		if !admits(text) {
			t.Errorf("not taken for an admission: %q", text)
		}
	}
	for _, text := range []string{
		"Done, everything works.", "All tests pass, no errors.", "There are no failures.", "0 failed, 12 passed.", "I fixed the failing test.", "The error is fixed.", "It no longer fails.", "Nothing failed.", "It works without errors.",
		"If it fails, restart it.", "It failed at first, and now it passes.", "I added error handling.", "I added an error page.", "The form now shows an error message.", "The list has 502 items.", "I added a 404 page.", "The button is 500 px wide.",
		"I replaced the broken link.", "The crash no longer happens.", "I removed the failing assertion; the suite is green.", "Users who enter a wrong password are refused.", "Errors are logged to stderr now.", "The retry logic handles timeouts and failed requests.",
		"It previously returned 502; now it returns 200.", "I made sure that nothing is broken.", "The red button is now blue.", "The form does not submit when empty.", "It doesn't need a build step.", "The function returns an error for empty input.", "The script exits with an error if the file is missing.", "It exited with code 0.",
		"The server is ready on port 3000.", "Not only does it start, it is fast.", "It is written, but not checked.", "I couldn't verify it.", "The change is not tested.", "No pude verificarlo.", "Really done.", "Believe me.", "No problems with the build.", "There were no warnings when the build ran.", "No errors in what runs.", "Fertig, keine Fehler.", "Alle Tests laufen durch, ohne Fehler.", "Der Fehler ist behoben.", "Tout marche, sans erreur.", "L'erreur est corrigée.", "Todo funciona, sin errores.", "", "…", "I won't bore you with details; it is done.",
	} {
		if admits(text) {
			t.Errorf("taken for an admission: %q", text)
		}
	}
}

// TestNames: an honest word about another thing hides no failure.
func TestNames(t *testing.T) {
	build := &call{tool: "run_command", input: `{"command":"cd deed && npm run build"}`, result: `{"success":false,"exitCode":2,"stderr":"TS2304: Cannot find name 'Foo' in src/app.ts"}`}
	server := &call{tool: "start_server", input: `{"command":"node s.js","port":3000}`, result: `{"success":false,"error":"GET / answered with status 502","port":3000,"healthCheck":{"status":502}}`}
	file := &call{tool: "read_file", input: `{"path":"deed/config.yaml"}`, result: `{"success":false,"error":"there is no such file"}`}
	for text, c := range map[string]*call{
		"npm run build fails.": build, "The build still fails with TS2304.": build, "It stopped with an error in src/app.ts.": build, "Der Build schlägt fehl.": build, "La compilation échoue.": build, "The command failed.": build,
		"The server does not answer.": server, "It answers 502.": server, "Port 3000 is not reachable.": server, "Le serveur ne répond pas.": server,
		"I could not find config.yaml.": file, "There is no `deed/config.yaml`: reading that file failed.": file,
	} {
		if !names(text, c) {
			t.Errorf("%q does not name the failure of %s", text, c.input)
		}
	}
	for text, c := range map[string]*call{
		"The preview is ready on port 3000!": server, "I couldn't choose a colour, so I took blue. The server is ready.": server, "Done.": build, "The build works. One thing is not done: the logo.": build,
		"I could not find a logo.": file, "The build passes, with no errors.": build,
	} {
		if names(text, c) {
			t.Errorf("%q is taken to name the failure of %s", text, c.input)
		}
	}
}

// TestNamesWhatIsNotThere: who looked for a thing and says that there is none names the
// failure of that look, and of no other call.
func TestNamesWhatIsNotThere(t *testing.T) {
	command := func(c, stderr string) *call {
		return &call{tool: "run_command", input: fmt.Sprintf(`{"command":%q}`, c), result: fmt.Sprintf(`{"success":false,"exitCode":2,"stdout":"","stderr":%q}`, stderr)}
	}
	list, python := command("ls deed/config", "ls: cannot access 'deed/config': No such file or directory"), command("python3 --version", "bash: python3: command not found")
	env, git := command("cat deed/.env", "cat: deed/.env: No such file or directory"), command("git -C deed status", "fatal: not a git repository")
	install, build := command("npm install left-pad", "getaddrinfo EAI_AGAIN registry.npmjs.org"), command("go build ./...", "x.go:3: undefined: foo")
	for _, x := range []struct {
		text string
		c    *call
	}{
		{"No, there is no config folder.", list}, {"The folder deed/config is missing.", list}, {"There's no `config` directory in the deed yet.", list}, {"Nein, einen Ordner config gibt es nicht.", list}, {"Es gibt keinen Ordner config.", list},
		{"Le dossier config manque.", list}, {"Il n'y a pas de dossier config.", list}, {"No hay ninguna carpeta config.", list}, {"The deed has no config folder.", list},
		{"The project has no .env file.", env}, {"No .env here.", env}, {"There is no python3 here, so I wrote the script in shell.", python}, {"python3 is missing on this machine.", python},
		{"The deed is not a git repository.", git}, {"There is no git repository in deed/ yet. Shall I make one?", git}, {"deed/ isn't a git repository.", git},
		{"The install was blocked: no network.", install}, {"I need the network to install left-pad.", install}, {"Installing left-pad needs network access, which is off. Shall I go on without it?", install},
		{"The build breaks at x.go:3.", build},
	} {
		if !names(x.text, x.c) {
			t.Errorf("%q does not name the failure of %s", x.text, x.c.input)
		}
	}
	for _, x := range []struct {
		text string
		c    *call
	}{
		{"There are no errors in x.go.", build}, {"No problems with the build.", build}, {"The build has no warnings.", build}, {"There is no logo yet. The build is done.", build}, {"The build is done, and nothing is missing.", build},
		{"I added the missing semicolon to x.go.", build}, {"The build no longer has the old name.", build}, {"There is no need to build it again.", build}, {"The build works without network.", build},
		{"I installed left-pad.", install}, {"The config folder is ready, and nothing in it is missing.", list}, {"left-pad is installed; no page needs it yet.", install},
	} {
		if names(x.text, x.c) {
			t.Errorf("%q is taken to name the failure of %s", x.text, x.c.input)
		}
	}
}

// BenchmarkNames: a long text costs what its ends cost.
func BenchmarkNames(b *testing.B) {
	text := strings.Repeat("The change of src/a.go failed again, and TestFoo3 of it is not run. ", 2000)
	long := strings.Repeat("X y z ", 1<<17)
	for name, c := range map[string]*call{
		"long result": {tool: "run_command", input: `{"command":"npm run lint"}`, result: `{"success":false,"stdout":"` + long + `"}`},
		"long input":  {tool: "write_file", input: `{"path":"b.ts","content":"` + long + `"}`, result: `{"success":false,"error":"refused"}`},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				names(text, c)
			}
		})
	}
}
