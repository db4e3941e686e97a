package markdown

import (
	"strings"
	"sync"
)

// languages returns the languages that agents write most, by each name that a
// fence may give them.
var languages = sync.OnceValue(func() map[string]language {
	slashes, cBlock := []string{"//"}, [2]string{"/*", "*/"}
	hash := []string{"#"}
	all := map[string]language{}
	add := func(names, words string, l language) {
		l.words = map[string]bool{}
		for _, w := range strings.Fields(words) {
			l.words[w] = true
		}
		for _, n := range strings.Fields(names) {
			all[n] = l
		}
	}
	add("go golang", "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var nil true false iota any error string int bool byte",
		language{line: slashes, block: cBlock, quotes: "\"'`", long: "`"})
	add("js javascript jsx mjs ts typescript tsx", "async await break case catch class const continue default delete do else export extends false finally for from function if implements import in instanceof interface let new null of return static super switch this throw true try type typeof undefined var void while yield",
		language{line: slashes, block: cBlock, quotes: "\"'`", long: "`"})
	add("c h cpp c++ java kotlin cs csharp swift rust rs dart scala php", "abstract as auto bool break case catch char class const continue default do double else enum extends extern false final float fn for foreach func function if impl import in int interface let long loop match mod mut namespace new nil null override package private protected pub public return self short signed sizeof static string struct super switch template this throw trait true try type typedef union unsigned use using val var virtual void while",
		language{line: slashes, block: cBlock, quotes: "\"'"})
	add("py python python3", "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield",
		language{line: hash, quotes: "\"'", triple: true})
	add("sh bash shell zsh console", "case cd do done echo elif else esac exit export fi for function if in local return set shift then until while",
		language{line: hash, quotes: "\"'", long: "\"'"})
	add("rb ruby", "begin break case class def do else elsif end ensure false for if in module next nil not or and redo rescue return self super then true undef unless until when while yield require",
		language{line: hash, quotes: "\"'"})
	add("yaml yml toml ini conf dockerfile makefile make just", "true false null yes no FROM RUN COPY ADD CMD ENV WORKDIR EXPOSE ENTRYPOINT ARG",
		language{line: hash, quotes: "\"'"})
	add("json jsonc json5", "true false null", language{line: slashes, block: cBlock, quotes: "\""})
	add("sql", sqlWords+" "+strings.ToUpper(sqlWords), language{line: []string{"--"}, block: cBlock, quotes: "'\""})
	add("css scss less", "important from to and not only", language{block: cBlock, quotes: "\"'"})
	add("html xml svg vue svelte htm", "", language{block: [2]string{"<!--", "-->"}, quotes: "\"", tags: true})
	return all
})

const sqlWords = "add all alter and as asc begin between by case check column commit constraint create default delete desc distinct drop else end exists from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references right rollback select set table then union unique update values view when where with"
