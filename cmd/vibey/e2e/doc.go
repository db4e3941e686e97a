// Package e2e holds the tests of the whole program: they build the real
// binary, start it as a process of its own on a folder of its own, and talk to
// it over HTTP, through files and on the command line, as its users do. The
// models behind it are played by provider/providertest.
//
//	h := serve(t, newPlace(t, script), "claude")
//	end := h.post("/project/p/dialog", body{"provider": "claude", "prompt": "hi"}).last()
//
// Nothing here knows the program's packages but dialog, which reads the files,
// and the scripted provider.
package e2e
