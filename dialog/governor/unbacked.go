package governor

import (
	"slices"
	"strings"
)

// textEnds is how many bytes of each end of a long text are read.
const textEnds = 32 << 10

// Unbacked returns what a text says was done, a file changed, a server ready, work
// committed, that facts do not bear out; each as the end of "no result says that".
// It reads English, German, French and Spanish, sentence by sentence, and rather
// passes a claim than doubts an honest text: negations, plans, questions, conditions,
// quotations, code and what is said of earlier turns are no claims.
func Unbacked(text string, facts Facts) []string {
	text = ends(text, textEnds)
	var found []string
	add := func(what string) {
		if !slices.Contains(found, what) {
			found = append(found, what)
		}
	}
	list, plan := false, false // the items that follow are what was changed, or is to be
	for _, sentence := range breaks(text) {
		item := listItem().MatchString(sentence)
		if !item {
			list, plan = false, strings.HasSuffix(sentence, ":") && planned().MatchString(sentence)
		} else if plan {
			continue
		}
		last := list       // the clause before was a claim of a change
		var named []string // the files of the clause before
		for _, c := range clauses(sentence) {
			if given().MatchString(c) || earlier().MatchString(c) { // what follows holds only then
				break
			}
			if unclaimed().MatchString(c) {
				last, named = false, files(c)
				continue
			}
			last = says(c) || last && (verbs().MatchString(c) || onlyFiles().MatchString(c) || item && leadsFile().MatchString(c))
			these := files(c)
			if len(these) == 0 && refers().MatchString(c) {
				these = named
			}
			named = files(c)
			if last {
				for _, f := range these {
					if !facts.changed(f) {
						add(f + " was changed")
					}
				}
			}
			if serving().MatchString(c) {
				if port := facts.otherPort(c); !facts.Ready {
					add("a server is ready")
				} else if port != "" {
					add("a server is ready on port " + port)
				}
			}
			if !facts.Committed && committed().MatchString(c) {
				add("anything was committed")
			}
			list = list || !item && strings.HasSuffix(sentence, ":") && (last || inPlace().MatchString(c))
		}
	}
	return found
}

// ends returns the first and the last n bytes of a long text, a shorter one whole.
func ends(text string, n int) string {
	if len(text) <= 2*n {
		return text
	}
	return strings.ToValidUTF8(text[:n]+"\n"+text[len(text)-n:], "")
}

// says reports whether a clause claims that a file was changed just now.
func says(clause string) bool {
	return verbs().MatchString(clause) && (agent().MatchString(clause) || leads().MatchString(clause) || passive().MatchString(clause)) ||
		rowSays().MatchString(clause) || nowEnds().MatchString(clause) || nowIs().MatchString(clause) || newIn().MatchString(clause) || went().MatchString(clause)
}

func (f *Facts) changed(file string) bool {
	file = strings.ToLower(strings.TrimPrefix(file, "./"))
	file = strings.TrimSuffix(file, "/")
	whole := strings.HasPrefix(file, "deed/") || strings.HasPrefix(file, "doc-") && !strings.Contains(file, "/")
	return slices.ContainsFunc(f.Changed, func(path string) bool {
		path = strings.ToLower(path)
		return path == "unknown" || path == file || strings.HasPrefix(path, file+"/") || !whole && strings.HasSuffix(path, "/"+file)
	})
}

// otherPort returns a port of this machine that a clause names and that nothing answered
// on, "" where it names none, or where it is not known which answered.
func (f *Facts) otherPort(clause string) string {
	for _, m := range port().FindAllStringSubmatch(clause, -1) {
		if n := m[1] + m[2]; len(f.Ports) > 0 && !slices.Contains(f.Ports, n) {
			return n
		}
	}
	return ""
}

// breaks cuts prose into sentences. Code blocks, quotations and questions are left out.
func breaks(text string) []string {
	text = codeBlock().ReplaceAllString(text, "\n")
	text = quotation().ReplaceAllString(text, " ")
	var out []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), ">") {
			continue
		}
		if strings.HasPrefix(strings.TrimSpace(line), "|") { // a row of a table
			line = strings.ReplaceAll(line, "|", " ")
		}
		for at := 0; at < len(line); {
			end := len(line)
			from := at + len(itemNumber().FindString(line[at:]))
			if m := sentenceEnd().FindStringIndex(line[from:]); m != nil {
				end = from + m[1]
			}
			if s := strings.TrimSpace(line[at:end]); s != "" && !strings.HasSuffix(s, "?") {
				out = append(out, s)
			}
			at = end
		}
	}
	return out
}

// clauses cuts a sentence where another thought may begin.
func clauses(sentence string) []string {
	var out []string
	for _, c := range thoughts().Split(strings.TrimRight(sentence, ".!: "), -1) {
		if c = strings.TrimSpace(c); c != "" {
			out = append(out, c)
		}
	}
	return out
}

// files returns the names of files in a clause, in their order.
func files(clause string) []string {
	var names []string
	for _, n := range fileName().FindAllString(address().ReplaceAllString(clause, " "), -1) {
		if n = strings.Trim(n, "."); !product().MatchString(n) {
			names = append(names, n)
		}
	}
	return names
}

var (
	codeBlock   = lazily("(?s)(?m:^)[ \t]*(```|~~~).*?(?:\n[ \t]*(?:```|~~~)|\\z)")
	quotation   = lazily(`"[^"\n]*"|“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»`)
	sentenceEnd = lazily(`[.!?]+(?:[\s)]|$)`)
	thoughts    = lazily(`[,;:]\s+|\s(?:but|so that|so|because|since|which|while|aber|denn|weil|damit|mais|parce que|pero|porque|sondern|however)\s|\s[—–-]\s`)
	onlyFiles   = lazily("(?i)^(?:and|und|et|y|also|as well as|sowie|[`*_\\s]|" + fileNames + ")+$")
	address     = lazily(`\bhttps?://\S+`)
	fileName    = lazily("(?i)" + fileNames)
	product     = lazily(`(?i)^(node|next|vue|nuxt|express|three|d3|react|alpine|socket|chart|e\.g|i\.e|z\.b|p\.ex|a\.m|p\.m)(\.js|\.io)?$`)

	// unclaimed is what makes a clause no claim of this turn.
	unclaimed = lazily(`(?i)` + words(
		`not|never|nothing|nobody|cannot|without|neither|nor|failed|fails|unable|tried`, `\w+n['’]t`,
		`could|would|should|can|will|shall|may|might|must|going to|want to|need to|needs|plan to|let me|i['’]ll|please|until|before you|to make|instead of`,
		`previous|previously|earlier|yesterday|already|last (?:turn|time|week|commit)|before i|back then`,
		`nicht|nichts|nie|kein\w*|ohne|noch nicht|könnte\w*|würde\w*|sollte\w*|kann|können|werde|wird|bevor|bitte|soll|gestern|vorher|bereits|zuvor|fehlgeschlagen`,
		`ne|n['’]ai|n['’]est|n['’]a|pas|jamais|rien|aucun\w*|pourrai\w*|devrai\w*|peux|peut|vais|va|avant de|hier|déjà|échoué`,
		`no|nunca|nada|ningun\w*|ningún|podría\w*|debería\w*|puedo|puede\w*|voy a|va a|antes de|ayer|todavía|falló`))

	// earlier is said of what was before this turn.
	earlier    = lazily(`(?i)` + words(`last (?:turn|time|week|commit)`, `previous[a-zà-öø-ÿœ]*`, `earlier`, `yesterday`, `back then`, `letzte[a-zà-öø-ÿœ]* (?:mal|runde|commit)`, `gestern`, `vorhin`, `zuvor`, `(?:ich )?hatte(?: ich)?`, `la dernière fois`, `précédent[a-zà-öø-ÿœ]*`, `hier`, `j'avais`, `la última vez`, `ayer`, `había`, `i had`, `had (?:i|we|you|been)`, `before (?:i|we|this)`))
	planned    = lazily(`(?i)\b(?:would|next|could|plan|should|propose|suggest|steps|todo|will|nächste|würde|vorschlag|prochaines?|propose|siguientes?|propongo)\b`)
	inPlace    = lazily(`(?i)\b(?:in place|what (?:i did|changed|is new)|done|changes?|summary|geändert|fertig|en place|hecho|listo)\b`)
	refers     = lazily(`(?i)^(?:where|in which|which|there|wo|worin|den|die|das|où|que|donde|it)\b`)
	itemNumber = lazily(`^\s*\d+[.)]\s`)
	listItem   = lazily(`^\s*(?:[-*+•]|\d+[.)])\s`)
	leadsFile  = lazily("(?i)^[-*+•\\d.)\\s`_]*" + fileNames)
	rowSays    = lazily("(?i)^[-*+•`_\\s]*" + fileNames + "[`*_\\s]*[:–—-]?\\s*(?:" + past + ")\\b")
	nowEnds    = lazily("(?i)" + fileNames + "\\b.*\\b(?:now|jetzt|nun|maintenant|ahora)$")
	// given begins what holds only on a condition.
	given = lazily(`(?i)^(?:\W*(?:and|but|then|und|et|y)\s+)?(?:if|once|when|whenever|unless|as soon as|should|wenn|falls|sobald|si|quand|lorsque|dès que|cuando|una vez)(?:$|[^a-zà-öø-ÿœ])`)

	agent   = lazily(`(?i)` + words(`i|i['’]ve|we|we['’]ve|me`, `ich|wir`, `j['’]ai|nous avons|on a`, `he|hemos|[a-zà-öø-ÿœ]+é`))
	leads   = lazily(`(?i)^[\s*+\d.)✅✔☑✓-]*(?:\[x\]\s*)?(?:(?:done|fertig|fait|hecho|also|then|and|finally|just)\s+)*` + `(?:` + past + `)\b`)
	passive = lazily(`(?i)` + words(`is|are|was|were|has been|have been|both|now|got`, `ist|sind|wurde|wurden|jetzt`, `est|sont|a été|ont été`, `está|están|fue|fueron|ha sido|han sido|ahora`) + `|[✅✔☑✓]`)
	verbs   = lazily(`(?i)` + words(past))
	nowIs   = lazily("(?i)\\.[a-z][a-z0-9]{0,5}[`*_]*\\s+(?:and\\s+\\S+\\s+)?(?:now|jetzt|nun|ahora|maintenant)\\s+[a-zà-öø-ÿœ]+|\\.[a-z][a-z0-9]{0,5}[`*_]*\\s+(?:has|hat|a|tiene)\\s+(?:now|jetzt|nun|maintenant|ahora)\\b")
	went    = lazily(`(?i)\b(?:edits?|changes?|update|fix|rewrite|änderung[a-zà-öø-ÿœ]*|modification|cambio)\b[^.]*\b(?:worked|went through|is in|are in|landed|is done|succeeded|gespeichert|steht)\b`)
	newIn   = lazily(`(?i)\b(?:the|its|your)\s+(?:new|updated|corrected|revised|changed?|fix)\b[^.]*\b(?:is|are|lives?)\s+(?:now\s+)?in\b`)
	serving = lazily(`(?i)\b(?:server|preview|site|website|app|page|vorschau|seite|serveur|aperçu|servidor|vista previa|sitio|backend|frontend|api|it|er|sie|il|elle)\b['’]?s?\b[^,.]*?(?:` +
		`\b(?:is|are|now)\b[^,.]*\b(?:up|running|ready|live|online|available|reachable|serving|served)\b|\bruns?\b[^,.]*\b(?:on|at|under)\b|\b(?:läuft|bereit|erreichbar|online)\b|\b(?:tourne|prêt|prête|lancé|disponible|en ligne)\b|\b(?:funcionando|en marcha|listo|lista|corriendo|disponible)\b|` +
		`['’]s\b[^,.]*\b(?:up|running|ready|live)\b)|\b(?:up and running|started the (?:dev )?server)\b|\bserver\s+(?:was\s+|has\s+)?started\s+(?:on|at|under)\b|\b(?:up|running|live|ready|available)\s+(?:on|at|under)\s+(?:port|http|localhost|:\d)`)
	port      = lazily(`(?i)\bport\s+(\d{2,5})\b|(?:\blocalhost|127\.0\.0\.1):(\d{2,5})\b`)
	committed = lazily(`(?i)` + words(`committed`, `pushed`, "git commit`? (?:went|succeeded|worked|is done)", `(?:made|created) (?:a|one|another|the) commit|commit [0-9a-f]{7,40}`, `(?:in|per|als) (?:einem |einen |ein )?commit`, `committet|eingecheckt|gepusht`, `(?:dans|fait) (?:un|le) commit`, `commité|committé|validé dans git`, `(?:en|hecho|hice) (?:un|el) commit|commiteado|commiteé`))
)

// fileNames matches a file's name or path.
const fileNames = `(?:deed/[a-zà-öø-ÿœ\d_][a-zà-öø-ÿœ\d_./\[\]-]*|(?:[a-zà-öø-ÿœ\d_./-]+/)?(?-i:Makefile|Dockerfile|Procfile|Gemfile)|[a-zà-öø-ÿœ\d_][a-zà-öø-ÿœ\d_./\[\]-]*\.[A-Za-z][A-Za-z0-9]{0,5})\b`

// past are forms that say that a file was changed.
const past = `did (?:[a-zà-öø-ÿœ]+ )?(?:rework|change|update|edit|fix|add|remove|rewrite|write|create|move|replace|delete)|changed|updated|edited|rewrote|rewritten|modified|added|removed|deleted|created|fixed|corrected|replaced|renamed|moved|saved|wrote|written|adjusted|revised|refactored|implemented|converted|inserted|wired|linked|extended|shortened|translated|reworked|restructured|applied|put|made|cleaned|formatted|set|swapped|bumped|patched|polished|tightened|merged|split|dropped|trimmed|introduced|turned|got|stored|` +
	`geändert|angepasst|überarbeitet|geschrieben|umgeschrieben|gespeichert|erstellt|angelegt|gelöscht|entfernt|ersetzt|korrigiert|hinzugefügt|ergänzt|umbenannt|verschoben|aktualisiert|eingefügt|gekürzt|eingebaut|behoben|gesetzt|übersetzt|` +
	`modifié\w*|corrigé\w*|ajouté\w*|supprimé\w*|créée?s?|écrite?s?|réécrite?s?|remplacé\w*|mise?s? à jour|enregistré\w*|renommé\w*|déplacé\w*|adapté\w*|changé\w*|traduite?s?|retiré\w*|` +
	`cambiado|cambié|corregido|corregí|añadido|añadí|actualizad[oa]s?|actualicé|creado|creé|escrito|escribí|eliminado|eliminé|borrado|borré|reemplazado|reemplacé|guardado|guardé|modificado|modifiqué|agregado|agregué|reescrito|reescribí|traducido`

// words matches one of the alternatives as whole words, in any script.
func words(alternatives ...string) string {
	return `(?:^|[^a-zà-öø-ÿœ\d_])(?:` + strings.Join(alternatives, "|") + `)(?:$|[^a-zà-öø-ÿœ\d_])`
}
