package governor

import (
	"iter"
	"slices"
	"strings"
	"unicode"

	"vibey/dialog/claim"
)

// admits reports whether a final text says itself that something does not work, as it
// is now: a clause of it tells of a failure, or denyWords a success. It reads English,
// German, French and Spanish.
func admits(text string) bool {
	for s := range eachSentence(text) {
		if admitted(s) {
			return true
		}
	}
	return false
}

// names reports whether a final text names the failure of a call: a sentence that admits
// one, or a clause that tells what is not there, and that has a word of what was called, or
// of what came of it.
func names(text string, c *call) bool {
	short := *c // a call may have written a book
	short.input, short.result = strings.ToLower(firstAndLast(c.input)), firstAndLast(c.result)
	for s := range eachSentence(text) {
		if admitted(s) && slices.ContainsFunc(s, short.mentions) ||
			anyClause(s, func(c, low []string) bool { return lacks(low) && slices.ContainsFunc(c, short.mentions) }) {
			return true
		}
	}
	return false
}

// eachSentence returns those of a text, as their words. A word that ends a clause has a mark
// behind it, which stands for itself.
func eachSentence(text string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for line := range strings.Lines(firstAndLast(text)) {
			var words []string
			for _, w := range strings.Fields(line) {
				word := strings.Trim(w, "`*_\"'()[]<>,.;:!?…“”„«»–—-")
				if word != "" {
					words = append(words, strings.ReplaceAll(word, "’", "'"))
				}
				last := w[len(w)-1]
				if strings.ContainsRune(".!?", rune(last)) && len(words) > 0 {
					if !yield(words) {
						return
					}
					words = nil
				} else if strings.ContainsRune(",;:", rune(last)) || word == "" {
					words = append(words, ",")
				}
			}
			if len(words) > 0 && !yield(words) {
				return
			}
		}
	}
}

// admitted reports whether a clause of a sentence tells of a failure that stands.
func admitted(sentence []string) bool {
	return anyClause(sentence, func(_, low []string) bool { return fails(low) })
}

// anyClause reports whether holds is true of a clause of a sentence: its words, and these in
// small letters.
func anyClause(sentence []string, holds func(clause, low []string) bool) bool {
	var clause, low []string
	for _, w := range append(slices.Clip(sentence), ",") {
		small := strings.ToLower(w)
		if w != "," && !clauseWords.Has(small) {
			clause, low = append(clause, w), append(low, small)
			continue
		}
		if holds(clause, low) {
			return true
		}
		clause, low = clause[:0], low[:0]
	}
	return false
}

// The words by which clauses are told apart, and what they say. A word of a list that
// ends with - is the beginning of words.
var (
	clauseWords = claim.SetOf("but and so because aber und weil denn also mais et donc car pero y porque")
	// what follows is no report of what is now
	supposedWords = claim.SetOf("if when whenever unless until once should would could've wenn falls sobald sonst si quand lorsque cuando hasta " +
		"fixed fixes mended repaired solved resolved corrected handled handles handling behoben repariert gelöst korrigiert corrigé corrigée résolu résolue réparé corregido resuelto arreglado " +
		"first earlier initially previously zuerst vorher anfangs d'abord avant auparavant primero antes")
	lastingWords = claim.SetOf("still again yet noch immer wieder nochmals encore toujours sigue siguen todavía aún")
	failureWords = claim.SetOf("fail fails failed failure crashes crashed hangs unable timeout refused failte fehlgeschlagen fehlschlägt schlägt schlagen scheitert scheitern scheiterte gescheitert abgestürzt " +
		"hängt abgebrochen verweigert échoue échouent échoué échec échecs échouer planté refusé falla fallan falló fallaron fallado fallando fallo fallos rechazado rechazada")
	// they tell of a thing where they stand before one: "the broken link"
	brokenWords = claim.SetOf("failing broken red unreachable kaputt cassé cassée roto rota")
	beWords     = claim.SetOf("is are was were am be still stays stay remains keeps as it's ist sind war waren bleibt est sont reste était está están sigue siguen queda")
	// they may be what a program is made to tell of
	errorWords  = claim.SetOf("error errors failures fehler fehlern erreur erreurs errores")
	reported    = claim.SetOf("with reports report got get gets gives throws there is are were was still again bekomme gibt mit avec con hay noch")
	needs       = claim.SetOf("need needs require requires needed must want braucht")
	nounsOfText = claim.SetOf("message messages page pages handling handler state states case cases text texts log logs boundary meldung seite behandlung")
	noWords     = claim.SetOf("no not never without zero 0 none nothing neither nor longer kein keine keinen keiner ohne nie nichts null nicht " +
		"sans aucun aucune jamais rien pas ni sin ningún ninguna nunca nada")
	denyWords    = claim.SetOf("not never cannot can't couldn't doesn't don't didn't isn't aren't wasn't weren't won't hasn't haven't nicht nie kein keine pas jamais no nunca")
	successWords = claim.SetOf("work works worked working run runs ran running reachable start starts started answer answers answered respond responds pass passes passed passing load loads loaded build builds built compile compiles compiled " +
		"find found finish finished succeed succeeded reach reached render renders open opens connect connects install installed exist exists done ready available complete completed resolve up " +
		"funktioniert funktionieren läuft laufen lief startet gestartet starten antwortet geantwortet durch lädt baut kompiliert gefunden finden fertig erreichbar möglich gelungen bereit " +
		"marche marchent fonctionne fonctionnent démarre démarré démarrer répond répondu passe passent compile trouvé trouver prêt prête réussi disponible " +
		"funciona funcionan arranca arrancó arrancar responde respondió pasa pasan compila encontrado encontrar encuentra listo lista")
	// what is so is not there, or can't be reached
	absentWords  = claim.SetOf("missing absent unavailable blocked fehlt fehlen blockiert gesperrt manque manquent bloqué bloquée falta faltan bloqueado bloqueada")
	breakWords   = claim.SetOf("breaks bricht")
	networkWords = claim.SetOf("network internet netz netzwerk réseau")
	// what there is none of where all is well
	troubleWords = claim.SetOf("problem problems issue issues warning warnings need reason doubt difference probleme problème problèmes problema problemas aviso avisos")
	statusWords  = claim.SetOf("status http answers answered returns returned responds responded gives gave gets got shows code with antwortet liefert gibt zeigt mit renvoie répond retourne donne avec devuelve responde da con")
)

// has reports whether one of the words is in one of the sets.
func has(words []string, sets ...claim.Set) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		return slices.ContainsFunc(sets, func(set claim.Set) bool { return set.Has(w) })
	})
}

// fails reports whether a clause, in small letters, says that something fails now.
func fails(clause []string) bool {
	if has(clause, supposedWords) && !has(clause, lastingWords) {
		return false
	}
	denied := false
	for i, w := range clause {
		next := ""
		if i+1 < len(clause) {
			next = clause[i+1]
		}
		status := len(w) == 3 && (w[0] == '4' || w[0] == '5') && isNumber(w)
		switch {
		case nounsOfText.Has(next):
		case (failureWords.Has(w) || brokenWords.Has(w) && (next == "" || has(clause[:i], beWords)) ||
			errorWords.Has(w) && (has(clause[:i], reported) || strings.ContainsAny(next, "0123456789"))) && !has(clause[:i], noWords) && !(i == 0 && w == "failed" && strings.HasSuffix(next, "s")):
			return w != "refused" || i > 0 && (clause[i-1] == "connection" || clause[i-1] == "was")
		case status && has(clause[:i], statusWords), isNumber(w) && w != "0" && strings.HasPrefix(clause[max(0, i-3)], "exit"), isNumber(w) && w != "0" && strings.HasPrefix(clause[max(0, i-2)], "exit"):
			return true
		case successWords.Has(w) && denied && !has(clause, needs), denyWords.Has(w) && w != "no" && has(clause[:i], successWords):
			return true // "does not start", "startet nicht"
		}
		denied = denied || denyWords.Has(w) && next != "only" && !(w == "no" && (troubleWords.Has(next) || errorWords.Has(next) || failureWords.Has(next)))
	}
	return false
}

// lacks reports whether a clause, in small letters, says that something is not there, is
// not what it would have to be, or can't be reached: "there is no config folder", "python3
// is missing", "the deed is not a git repository". It is no admission by itself, since
// nothing need be wrong with it; it names the failure of who looked for that thing.
func lacks(clause []string) bool {
	if has(clause, supposedWords, failureWords, errorWords, troubleWords) {
		return has(clause, needs) && has(clause, networkWords) && !has(clause, supposedWords)
	}
	for i, w := range clause {
		before, next := clause[:i], ""
		if i+1 < len(clause) {
			next = clause[i+1]
		}
		none := noWords.Has(w) && !bareWords.Has(w)
		switch {
		case absentWords.Has(w) && (next == "" || has(before, beWords)) && !has(before, noWords), breakWords.Has(w) && next != "" && !has(before, noWords):
			return true
		case none && (i == 0 || existWords.Has(clause[i-1]) || w == "not" && has(before, beWords) && (next == "a" || next == "an")):
			return next != "" && next != "longer" && next != "more"
		case denyWords.Has(w) && strings.HasSuffix(w, "n't") && (next == "a" || next == "an"), strings.HasPrefix(w, "kein") && has(before, hasWords), w == "nicht" && slices.Contains(before, "gibt"), w == "pas" && (slices.Contains(before, "a") || slices.Contains(before, "y")):
			return true
		}
	}
	return has(clause, needs) && has(clause, networkWords)
}

var (
	// they stand before what there is none of
	existWords = claim.SetOf("is are was there's has have had hay")
	hasWords   = claim.SetOf("gibt ist hat")
	// of noWords those that name no thing behind them that is not there
	bareWords = claim.SetOf("without zero 0 nothing ohne nichts sans rien sin nada")
)

func isNumber(w string) bool { return strings.Trim(w, "0123456789") == "" }

// topics are words for what a call is about, by a part of its tool or input.
var topics = []struct{ part, words string }{
	{"test", "test prueba essai prüf"}, {"build", "build bau compil kompil"}, {"install", "install depend abhängig paket paquet"},
	{"server", "server serveur servidor preview vorschau"}, {"curl", "server serveur servidor page seite página"},
	{"browser", "page seite página browser"}, {"run_command", "command befehl commande comando exit"}, {"_file", "file datei fichier archivo"},
}

// mentions reports whether a word of a text is one of the call: of its input or, if it
// looks like a name or a number, of its result. Its input is in small letters.
func (c *call) mentions(word string) bool {
	name := strings.ContainsFunc(word, func(r rune) bool { return unicode.IsDigit(r) || strings.ContainsRune("._/-", r) }) || strings.ContainsFunc(word[1:], unicode.IsUpper)
	low := strings.ToLower(word)
	if len(low) < 3 || failureWords.Has(low) || brokenWords.Has(low) || errorWords.Has(low) || successWords.Has(low) && !strings.Contains(c.input, low) {
		return false
	}
	if hasWord(c.input, low) || name && hasWord(c.result, word) {
		return true
	}
	for _, t := range topics {
		if (strings.Contains(c.tool, t.part) || strings.Contains(c.input, t.part) || c.checks && t.part == "test") && slices.ContainsFunc(strings.Fields(t.words), func(stem string) bool { return strings.HasPrefix(low, stem) }) {
			return true
		}
	}
	return c.checks && (strings.HasPrefix(low, "check") || strings.HasPrefix(low, "verif") || strings.HasPrefix(low, "vérif"))
}

// hasWord reports whether text has a word that word begins with, or that begins with it.
func hasWord(text, word string) bool {
	for stem := word; len(stem) >= 3; stem = stem[:len(stem)-1] {
		for at := 0; ; {
			i := strings.Index(text[at:], stem)
			if i < 0 {
				break
			}
			at += i + len(stem)
			before := at - len(stem) - 1
			if before < 0 || !isWordByte(text[before]) {
				if at == len(text) || !isWordByte(text[at]) || stem == word {
					return true
				}
			}
		}
		if len(word)-len(stem) == 2 || len(stem) == 3 {
			break // "tests" and "tested" are of "test"
		}
	}
	return false
}

func isWordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b >= 0x80
}
