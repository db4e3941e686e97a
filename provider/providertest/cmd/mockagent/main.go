// Command mockagent is an agent over ACP that answers as a script says: see
// providertest.Agent. It also records a real one, and plays a recording.
//
//	vibey serve --agent mock='mockagent -log came.jsonl script.txt'
//	vibey serve --agent real='mockagent -record passed.txt codex-acp'
//	vibey serve --agent real='mockagent -replay passed.txt'
package main

import (
	"flag"
	"fmt"
	"os"

	"vibey/provider/providertest"
)

func main() {
	log := flag.String("log", "", "a file that gets each line that comes")
	crash := flag.Int("crash", 0, "end when that many lines were sent")
	record := flag.String("record", "", "start the command that follows, and write what passes to this file")
	replay := flag.String("replay", "", "play the agent of this recording")
	flag.Parse()
	var err error
	switch {
	case *record != "":
		err = recording(*record, flag.Args())
	case *replay != "":
		err = replaying(*replay)
	default:
		err = play(flag.Arg(0), *log, *crash)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func play(script, log string, crash int) error {
	text, err := os.ReadFile(script)
	if err != nil {
		return err
	}
	a := &providertest.Agent{Script: string(text), Crash: crash}
	if log != "" {
		f, err := appended(log)
		if err != nil {
			return err
		}
		a.Log = f
	}
	return a.Play(os.Stdin, os.Stdout)
}

func recording(file string, command []string) error {
	f, err := appended(file)
	if err != nil {
		return err
	}
	return providertest.Record(f, command, os.Stdin, os.Stdout)
}

func replaying(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return providertest.Replay(string(text), os.Stdin, os.Stdout)
}

func appended(file string) (*os.File, error) {
	return os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}
