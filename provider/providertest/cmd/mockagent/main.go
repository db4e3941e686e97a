// Command mockagent is an agent over ACP that answers as a script says: see
// providertest.Agent.
//
//	vibey serve --agent mock='mockagent -log came.jsonl script.txt'
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
	flag.Parse()
	script, err := os.ReadFile(flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	a := &providertest.Agent{Script: string(script), Crash: *crash}
	if *log != "" {
		f, err := os.OpenFile(*log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		a.Log = f
	}
	a.Play(os.Stdin, os.Stdout)
}
