package governor

import (
	"regexp"
	"strings"
	"sync"

	"vibey/dialog"
)

// Classify returns the intent of a prompt, one of grant.Intents, or "" where its
// words tell none. It looks for signs in English, German, French and Spanish: how large
// the work is, whether something is to be changed or made, what is wrong, what is asked
// about. The costly mistake is to take work for talk, since talk runs no tool; so talk
// is what has no other sign.
func Classify(prompt string) string {
	prompt = firstAndLast(prompt) // a log that was pasted into it says nothing of what is wanted
	text := strings.ToLower(strings.NewReplacer("’", "'", "‘", "'").Replace(strings.Join(strings.Fields(prompt), " ")))
	known := classify(text)
	if short := known == "conversational" || known == "status_check"; short && orders.in(text) && !handsOff.in(text) {
		return "" // an order stands in it, of no known size
	}
	return known
}

func classify(text string) string {
	if rest := handsOff.all().ReplaceAllString(text, " "); rest != text {
		if asked.in(rest) || shows.begins(rest) {
			return "status_check"
		}
		if lookInto.in(rest) || trouble.in(rest) {
			return "diagnose"
		}
		if !talks(rest) {
			return ""
		}
		return "conversational"
	}
	last := lastSentence(text)
	order := matter().ReplaceAllString(text, " … ") // of how much work it is, its own words alone tell
	switch {
	case opinion.begins(text) && isQuestion(text) && talks(text):
		return "conversational"
	case machine().MatchString(text):
		return "diagnose"
	case untilDone.in(order), byItself.in(order):
		return "autonomous"
	case lookInto.in(text) && !made(last):
		return "diagnose"
	case (asked.in(text) || shows.begins(text)) && !made(last):
		return "status_check"
	case isQuestion(text) && askedAbout().MatchString(last) && ours.in(last):
		return "status_check"
	case allOfIt.in(order) && (makes.in(order) || remakes.in(order)):
		return "autonomous"
	case opinion.in(text) && !wants(text) && talks(text):
		return "conversational"
	case wants(text):
		return size(text)
	case acts.begins(last) && !trouble.in(text):
		return ""
	case talks(text):
		return "conversational"
	case trouble.in(text):
		return "diagnose"
	case doThat.begins(last) && !isQuestion(text):
		return ""
	case isQuestion(text) && (ours.in(text) || ofIt.begins(text)):
		return "status_check"
	case isQuestion(text) && world.in(text) && !polite().MatchString(text) && !ours.in(text) && !small.in(text):
		return "conversational"
	case isQuestion(text):
		return "" // it may want a look at the project
	case things.in(text) && !chat.in(text):
		return "feature_build"
	case ours.in(text) && !chat.in(text):
		return "status_check"
	}
	return ""
}

// Assents reports whether a prompt says no more than to go on with what was spoken of:
// yes, do it, go ahead.
func Assents(prompt string) bool {
	if len(prompt) > 100 {
		return false
	}
	text := strings.TrimSpace(courtesies(strings.ToLower(strings.ReplaceAll(prompt, "’", "'"))))
	return assent().MatchString(text) && !politeness().MatchString(text)
}

// Proposes reports whether an answer proposes to do something, so that praise of it is
// assent.
func Proposes(answer string) bool {
	text := strings.ToLower(strings.ReplaceAll(firstAndLast(answer), "’", "'"))
	return proposes.in(strings.Join(strings.Fields(text), " "))
}

// courtesies returns a text in lower case without its thanks, greetings and praise.
func courtesies(text string) string {
	for before := ""; text != before; { // two in a row share the blank between them
		before, text = text, chat.all().ReplaceAllString(text, " ")
	}
	return text
}

// talks reports whether a text asks for nothing: each clause is a courtesy, an opinion
// that is asked for, or a feeling without a reserve.
func talks(text string) bool {
	if fillers().MatchString(text) { // "and again" goes on with something
		return false
	}
	for _, clause := range clauseEnd().Split(text, -1) {
		rest := strings.TrimSpace(courtesies(clause))
		if !onlyChat().MatchString(rest) && rest != "" && !feels(clause) && (!opinion.in(clause) || ours.in(clause) || small.in(clause)) {
			return false
		}
	}
	return true
}

// feels reports whether a clause tells of a feeling, or of praise, and has no reserve
// behind it: "it's great, but", "it's all in the wrong order" and "I feel that it needs
// more pace" want something changed.
func feels(clause string) bool {
	at := feeling.order().FindStringIndex(clause)
	if at == nil {
		return false
	}
	rest := clause[at[1]:]
	return !reserves.in(rest) && (!whole().MatchString(clause[:at[1]]) || onlyChat().MatchString(rest) || rest == "" || asMeant().MatchString(rest))
}

// lastSentence is where a request often stands, behind what led to it.
func lastSentence(text string) string {
	parts := sentences().Split(strings.TrimRight(text, ".!? "), -1)
	return strings.TrimSpace(parts[len(parts)-1])
}

// made reports whether a sentence is an order to change or make something.
func made(sentence string) bool {
	return makes.begins(sentence) || alters.begins(sentence) || remakes.begins(sentence)
}

// wants reports whether a text wants something changed or made.
func wants(text string) bool {
	return makes.in(text) || alters.in(text) || remakes.in(text) || wish.in(text) || shouldBe.in(text)
}

// size tells a small fix from a feature.
func size(text string) string {
	long := len(strings.Fields(text)) > 45
	grows := makes.in(text) || wish.in(text)
	switch {
	case remakes.in(text), grows && things.in(text) && !small.in(text), long:
		return "feature_build"
	case big.in(text) && !small.in(text):
		return "feature_build"
	case !grows, small.in(text), shouldBe.in(text):
		return "small_fix"
	case len(strings.Fields(text)) <= 10:
		return "small_fix"
	}
	return "feature_build"
}

func isQuestion(text string) bool {
	return strings.HasSuffix(strings.TrimRight(text, ") \t"), "?") || questionWord().MatchString(text) || strings.HasPrefix(text, "¿")
}

// lexicon is words and phrases in lower case, as a regular expression that is made when
// it is first asked: all of them together take 10 ms and some MB.
type lexicon struct{ all, order func() *regexp.Regexp }

func newLexicon(alternatives ...string) *lexicon {
	return &lexicon{
		all: later(func() string { return words(alternatives...) }),
		order: later(func() string {
			return `^[^a-zà-öø-ÿœ]*(?:(?:hey|hi|hello|ok|okay|so|and|now|then|just|please|pls|also|hallo|bitte|mal|doch|bonjour|hola|por favor|s'il te plaît|kannst du|könntest du|würdest du|can you|could you|would you(?: mind)?|will you|can we|could we|let's|i want you to|i need you to|i'd like you to|peux-tu|tu peux|pourrais-tu|puedes|podrías)[,!:]? +)*(?:` + strings.Join(alternatives, "|") + `)(?:$|[^a-zà-öø-ÿœ\d_])`
		}),
	}
}

// words is an expression for words and phrases that stand alone.
func words(alternatives ...string) string {
	return `(?:^|[^a-zà-öø-ÿœ\d_])(?:` + strings.Join(alternatives, "|") + `)(?:$|[^a-zà-öø-ÿœ\d_])`
}

// endsRead is how many bytes of each end of a long prompt, answer or result are read.
const endsRead = 8 << 10

// firstAndLast returns the first and the last endsRead bytes of a long text, a shorter one
// whole.
func firstAndLast(text string) string {
	if len(text) <= 2*endsRead {
		return text
	}
	return text[:endsRead] + "\n" + text[len(text)-endsRead:]
}

// later makes an expression, and its text, when it is first asked for: the texts alone
// would cost each start of this program 0.3 ms, the one within a command's walls as well.
func later(expr func() string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr()) })
}

// in reports whether one of the words stands in text.
func (l *lexicon) in(text string) bool { return l.all().MatchString(text) }

// begins reports whether text begins with one of them, behind politeness.
func (l *lexicon) begins(text string) bool { return l.order().MatchString(text) }

// works are what takes many rounds to make.
const works = `(?:app|application|book|novel|(?:web)?site|shop|store|codebase|project|product|game|clone|plan|compiler|collection|series|manuscript|chapters|issues|tasks|items?|spec|stack|platform|memoir|thing|milestones|diary)`

// matter is what a prompt speaks of and does not order: what stands in quotation marks, what
// something is a part, a summary or a test of, and what a relative clause tells.
var matter = dialog.Lazily("`[^`]*`" + `|"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|(?:of|about|for|on|from|in|at|where|with) (?:the |my |our )?(?:whole|entire|complete|full|all|every|each) (?:[a-zà-öø-ÿœ]+ ){0,3}` + works +
	`|(?:in which|where|that says?|which says?|who|about) [^.?!;]*|end[- ]to[- ]end (?:[a-zà-öø-ÿœ]+ )?tests?|(?:don't|do not|never) stop (?:the|a|an|my|our|it|him|her|them|at)|^allein (?:der|die|das|den|dem)`)

var (
	politeness = dialog.Lazily(`^(?:ok(?:ay)?|please|now|then|so|bitte|[\s,.!])+$`)
	sentences  = dialog.Lazily(`[.!?;:]+\s+`)
	clauseEnd  = dialog.Lazily(`[.!?;:,…¡¿—–()\n]+`)
	machine    = dialog.Lazily(`^\W*(?:\w*error\b|\w*exception\b|fatal:|traceback|panic:|segfault|npm err|uncaught|unhandled|cannot find|failed to )|\n\s+at |exit code \d|exit status \d|segmentation fault|stack ?trace|segfault`)

	// ofIt begins a question about what was spoken of before.
	ofIt = newLexicon(`(?:is|are|was|were|does|do|did|has|have) (?:it|that|this|they|these|those|everything|all|the|my|our)`, `(?:done|finished|ready|fertig|erledigt|terminé|listo)`, `(?:ist|sind|läuft|geht|hat|steht) (?:es|das|sie|er|alles|der|die)`, `(?:est-ce|c'est)`, `está`)

	// doThat is an order whose matter stands elsewhere; assent is a yes that is more than
	// politeness.
	doThat = newLexicon(`do (?:it|that|this|so|them|what|as|whatever)`, `go ahead`, `proceed`, `mach (?:das|es)`, `vas-y`, `fais-le`, `hazlo`, `adelante`)
	assent = dialog.Lazily(`^(?:(?:ok(?:ay)?|yes|yep|yeah|sure|please|now|then|so|ja|bitte|oui|sí|sì|si|s'il (?:te|vous) plaît|por favor|per favore|einverstanden|dale|vai|do (?:it|that|this|so)|do|go (?:ahead|for it|on)|proceed|(?:genau )?(?:mach|mache) (?:das|es|weiter|(?:es |das |genau )?so)|genau so|leg los|los geht's|vas-y|allez-y|lance-toi|fais-le|hazlo|adelante|procedi|fallo|fai pure)(?:[\s,.!…]|$)+)+$`)

	handsOff = newLexicon(`(?:don't|do not|no need to|without) (?:change|touch|touching|fix|edit|do)(?: a thing| anything| any of it| it)?(?: yet)?`, `don't want you to do`, `no changes`, `no need to (?:answer|reply|do)`, `nichts (?:ändern|anfassen)`, `ne (?:touche|change) (?:à )?rien`, `no (?:toques|cambies) nada`)

	// How much: all of it, and by itself.
	untilDone = newLexicon(`from scratch`, `(?:start|beginning) to (?:finish|end)`, `from a to z`, `end to end`, `one-?shot`, `(?:don't|do not|never) (?:stop|quit)`, `without (?:stopping|a break)`, `(?:until|till) (?:every|all|everything|it's|it is|it|done|none|nothing|finished|the end|you|coverage|there)`,
		`keep (?:going|working|at it|on|it up)`, `(?:carry|press) on`, `go on (?:with|until|and|alone)`, `do the (?:whole|entire|rest)`, `do (?:it|them) all`, `do all of (?:it|them|this|that)`, `work (?:your way )?through`, `go through (?:the )?(?:[a-zà-öø-ÿœ]+ )*(?:list|backlog|all|every)`, `one (?:after|by) (?:another|the other|one)`, `however long`, `whatever (?:is missing|breaks|it takes)`, `the other (?:\d+|[a-zà-öø-ÿœ]+teen|[a-zà-öø-ÿœ]+ty)`, `the rest of (?:the|it|them)`, `\d+ through \d+`, `repeat until`, `loop:`, `(?:do|finish) (?:[a-zà-öø-ÿœ]+ )*everything`, `alles fertig`,
		`von (?:grund auf|null an?|vorne? bis hinten|a bis z|anfang bis ende)`, `bis (?:alles|es|das|zum|alle|du|nichts)`, `(?:mach|arbeite?) (?:[a-zà-öø-ÿœ]+ )?weiter`, `der reihe nach`, `de (?:a à z|zéro|bout en bout)`, `du début à la fin`, `jusqu'(?:à|au|ce)`, `sans (?:t'arrêter|pause)`, `continue (?:jusqu|tout)`, `l'un après l'autre`, `de principio a fin`, `desde cero`, `hasta (?:terminar|el final|acabar|que)`, `sin parar`, `no pares`, `all the way`, `no matter how long`, `unt?ill? the \S+ (?:suite|test)`, `uno (?:tras|por) (?:otro|uno)`, `sigue`)
	byItself = newLexicon(`(?:by yourself|on your own|unattended|autonomously|free rein|free hand|full control|carte blanche|i trust you)`, `(?:work|works|act|do|be|run|go|proceed|continue|build|finish|decide|arbeite?|mach|bleib|sei|travaille|trabaja)(?: [a-zà-öø-ÿœ]+){0,4} (?:independently|all alone|autonom[a-zà-öø-ÿœ]*)`, `(?:de (?:manière|façon|forma|manera)|en) autonom[a-zà-öø-ÿœ]*`, `(?:don't|do not|no need to|never|stop|without) (?:ask|asking|check|checking|wait|waiting)(?: in| back| me| for me)?`, `as many agents`, `(?:you're|you are) in charge`, `your own (?:decisions|choices|judge?ment)`, `(?:won't be|am not|i'm not) reachable`, `no questions`, `i'll be on a plane`, `encárgate`, `decide (?:yourself|everything)`, `surprise me`, `(?:i'll|i will|i'm|i am) (?:be )?(?:offline|away|asleep|going to bed|off to bed|on holiday|out of office)`, `(?:come|report) back (?:to me )?(?:only )?when`, `when i wake up|(?:work|run) overnight|while i sleep`, `(?:don't|dont|do not) want to hear`, `(?:all|it|thing) yourself`,
		`ohne (?:zu fragen|rückfragen?|nachzufragen|anzuhalten)`, `selbst(?:st)?ändig`, `freie hand`, `wenn (?:alles|du) (?:durch|fertig)`, `allein`, `über nacht`, `tout seul`, `toute seule`, `sans (?:me )?(?:demander|attendre)`, `tú sol[oa]`, `por tu cuenta`, `sin (?:preguntar|esperar)[a-zà-öø-ÿœ]*`)
	allOfIt = newLexicon(`(?:whole|entire|complete|full|finished|all|every|each|remaining|finish) (?:[a-zà-öø-ÿœ]+ |\d+ ){0,4}`+works, `\d\d+ (?:[a-zà-öø-ÿœ]+ )?(?:issues|files|stories|chapters|tickets|bugs|recipes|poems|page [a-zà-öø-ÿœ]+)`, `(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty) (?:stories|chapters|episodes|issues)`, `(?:do|build|make|create|finish|implement|fix|write|ship|handle) (?:[a-zà-öø-ÿœ]+ )*everything`, `[,:] everything`, `alles fertig`,
		`(?:ganzen?|komplette[nrs]?|gesamte[nrs]?|alle|sämtliche) (?:[a-zà-öø-ÿœ]+ )?(?:app|anwendung|buch|roman|seite|website|projekt|spiel|manuskript|kapitel|aufgaben|shop)`, `tou(?:t|te|tes|s) (?:le |la |l'|les |mon |ma )?(?:site|livre|roman|application|appli|projet|jeu|chapitres|boutique)`, `tod[oa]s? (?:la |el |los |las |mi )?(?:aplicación|app|libro|novela|sitio|proyecto|juego|capítulos|tienda)`)

	// What is asked about, and what is wrong.
	asked    = newLexicon(`^status`, `where are we`, `where (?:the|my|our) [^.?!]* stands`, `how far`, `(?:did|have|has) (?:the |all |our )?(?:tests?|build|deploy[a-zà-öø-ÿœ]*|ci|agents?) (?:[a-zà-öø-ÿœ]+ )?(?:pass|succeed|run|finish|go)[a-zà-öø-ÿœ]*`, `(?:is|are|läuft|sind|ist) [^.?!]*(?:still|already|noch|schon|encore|todavía) [^.?!]*`, `(?:is|are) (?:the |my |our |it |that |anything |anyone |there )?[^.?!]*(?:up|running|finished|done|ready|waiting|left|open)$`, `wie weit`, `wo stehen wir`, `où en (?:est|sommes)[^.?!]*`, `cómo va`, `corriendo`, `en marcha`, `how (?:many|much|long|big|large)`, `wie (?:viele?|lang|groß)`, `combien`, `cuánt[oa]s?`, `git (?:status|log|diff)`)
	shows    = newLexicon(`list`, `show`, `print`, `count`, `display`, `read (?:me|out)`, `zeig[a-zà-öø-ÿœ]*`, `liste`, `affiche[a-zà-öø-ÿœ]*`, `montre[a-zà-öø-ÿœ]*`, `muestra[a-zà-öø-ÿœ]*`, `muéstra[a-zà-öø-ÿœ]*`, `dime`, `lis`, `lies`, `tell me (?:how many|which|what|whether|if)`, `sag mir`, `what'?s in`)
	lookInto = newLexicon(`why`, `how come`, `what(?:'s| is| went| goes| am i doing) (?:[a-zà-öø-ÿœ]+ )?wrong`, `what(?:'s| is) (?:going on|happening|broken|off|up with)`, `what the (?:hell|heck)`, `what's (?:eating|taking|slowing|causing|breaking)`, `how (?:is|can) (?:that|this|it) (?:be )?(?:pos+ible)?`, `d'où`, `any (?:ideas?|clue)`, `(?:figure|find) out`, `investigate`, `diagnose`, `debug`, `look into`, `track down`, `get to the bottom`, `where (?:exactly )?(?:does|do|is|did) [^.?!]*(?:come from|lose|go wrong|goes wrong|break|fail|hang|drag)[a-zà-öø-ÿœ]*`, `tell me where (?:it|the|this) (?:breaks|goes|falls|loses)`, `where (?:that|this|it) comes from`, `root cause`, `the cause`, `explanation`, `reason (?:for|why|is)`, `what (?:causes|caused|makes|made|explains)`, `explain (?:why|the|this|what this|how this)`, `check (?:if|whether) my (?:argument|reasoning|logic)`, `is (?:she|he|it) right`, `circular`,
		`warum`, `wieso`, `weshalb`, `woran`, `was (?:ist|stimmt|läuft)[^.?!]*(?:los|falsch|schief|nicht)`, `ursache`, `find[a-zà-öø-ÿœ]* heraus`, `pourquoi`, `qu'est-ce qui`, `d'où vient`, `la cause`, `trouve (?:pourquoi|d'où|ce qui)`, `cherche[rz]? (?:pourquoi|la cause)`, `por qué`, `qué (?:pasa|falla|ocurre)`, `averigua`, `la causa`)
	trouble = newLexicon(`fail[a-zà-öø-ÿœ]*`, `errors?`, `dies`, `twice`, `crash[a-zà-öø-ÿœ]*`, `broke[a-zà-öø-ÿœ]*`, `breaks?`, `bugs?`, `vanish[a-zà-öø-ÿœ]*`, `disappear[a-zà-öø-ÿœ]*`, `hang[a-zà-öø-ÿœ]*`, `freez[a-zà-öø-ÿœ]*`, `flicker[a-zà-öø-ÿœ]*`, `leak[a-zà-öø-ÿœ]*`, `stuck`, `blows? up`, `blank`, `empty page`, `wrong`, `off by`, `weird`, `strange`, `slow(?:er|ly)?`, `red`, `complain[a-zà-öø-ÿœ]*`, `contradict[a-zà-öø-ÿœ]*`, `confus[a-zà-öø-ÿœ]*`, `refus[a-zà-öø-ÿœ]*`, `in use`, `lost`, `(?:clumsy|flat|dull|boring|wooden|fake|unbelievable|weak)`, `(?:does|do|is|are|did|was|has|wo|ca)n'?t (?:[a-zà-öø-ÿœ]+ ){0,3}[a-zà-öø-ÿœ]+`, `(?:does|do|is|will|can) not [a-zà-öø-ÿœ]+`, `cannot`, `does nothing`, `no longer`, `nothing happens`, `(?:4|5)\d\d`, `drags`, `takes (?:[a-zà-öø-ÿœ]+ )?(?:[a-zà-öø-ÿœ]+|\d+) (?:seconds|minutes|hours)`,
		`fehl[a-zà-öø-ÿœ]*`, `kaputt`, `hängt`, `abgestürzt|stürzt`, `leer`, `klingt`, `stimm[a-zà-öø-ÿœ]* nicht`, `(?:geht|funktioniert|klappt|lädt|startet)[^.?!]*nicht(?:s)?`, `stimm[a-zà-öø-ÿœ]*[^.?!]*nicht`, `verschwunden`, `échoue[a-zà-öø-ÿœ]*`, `planté?e?`, `vide`, `ne (?:marche|fonctionne|s'affiche|charge|répond|démarre)[a-zà-öø-ÿœ]* (?:pas|plus)`, `bloqué[a-zà-öø-ÿœ]*`, `faux`, `falla[a-zà-öø-ÿœ]*`, `rot[oa]`, `no (?:funciona|carga|abre|arranca|aparece|va)`, `vací[oa]`, `se (?:cae|cuelga)`)

	// What is to be done.
	alters = newLexicon(`change`, `fix`, `replace`, `swap`, `rename`, `bump`, `remove`, `delete`, `drop`, `shorten`, `set`, `correct`, `turn`, `make (?:it|the|that|this|them|sure)`, `move`, `use`, `update`, `adjust`, `tweak`, `align`, `indent`, `increase`, `decrease`, `reduce`, `raise`, `lower`, `cap(?:it|ti)ali[sz]e`, `cut`, `trim`, `put(?:ting)? (?:the|it|this|that|them|one|a bit)`, `switch`, `undo`, `revert`, `hide`, `center`, `reword`, `rephrase`, `split`, `merge`, `tidy`, `clean up`, `take care of`, `get rid of`, `instead`, `spell`,
		`mach[a-zà-öø-ÿœ]*`, `änder[a-zà-öø-ÿœ]*`, `korrigier[a-zà-öø-ÿœ]*`, `ersetz[a-zà-öø-ÿœ]*`, `entfern[a-zà-öø-ÿœ]*`, `lösch[a-zà-öø-ÿœ]*`, `tausch[a-zà-öø-ÿœ]*`, `setz[a-zà-öø-ÿœ]*`, `kürz[a-zà-öø-ÿœ]*`, `streich[a-zà-öø-ÿœ]*`, `verschieb[a-zà-öø-ÿœ]*`, `benenn[a-zà-öø-ÿœ]*`, `nimm`, `remplace[a-zà-öø-ÿœ]*`, `change[a-zà-öø-ÿœ]*`, `corrige[a-zà-öø-ÿœ]*`, `enl[eè]v[a-zà-öø-ÿœ]*`, `supprime[a-zà-öø-ÿœ]*`, `mets`, `mettre`, `déplace[a-zà-öø-ÿœ]*`, `renomme[a-zà-öø-ÿœ]*`, `raccourci[a-zà-öø-ÿœ]*`, `cambia[a-zà-öø-ÿœ]*`, `corrige[a-zà-öø-ÿœ]*`, `quita[a-zà-öø-ÿœ]*`, `reemplaza[a-zà-öø-ÿœ]*`, `elimina[a-zà-öø-ÿœ]*`, `borra[a-zà-öø-ÿœ]*`, `pon(?:er|le)?`, `acorta[a-zà-öø-ÿœ]*`, `renombra[a-zà-öø-ÿœ]*`, `mueve`)
	makes = newLexicon(`add`, `build (?:me|us|an?|the|this|it|out|some|every|all|one)`, `finish (?:the|all|my|this)`, `create`, `write`, `draft`, `implement`, `compose`, `design`, `set up`, `introduce`, `develop`, `generate`, `produce`, `make (?:me )?(?:an?|some|my)`, `put an?`, `put together`, `wire up`, `hook up`, `sketch`, `scaffold`, `prepare`, `extend`, `support`,
		`kannst du [^.?!]*(?:machen|bauen|schreiben|anlegen|einbauen)`, `bau[a-zà-öø-ÿœ]*`, `schreib[a-zà-öø-ÿœ]*`, `erstell[a-zà-öø-ÿœ]*`, `entwirf`, `entwickl?e[a-zà-öø-ÿœ]*`, `füg[a-zà-öø-ÿœ]*`, `leg[a-zà-öø-ÿœ]* [^.?!]*an`, `ergänz[a-zà-öø-ÿœ]*`, `ajoute[a-zà-öø-ÿœ]*`, `crée[a-zà-öø-ÿœ]*`, `créer`, `écri[st][a-zà-öø-ÿœ]*`, `construi[st][a-zà-öø-ÿœ]*`, `rédige[a-zà-öø-ÿœ]*`, `développe[a-zà-öø-ÿœ]*`, `fais`, `crea[a-zà-öø-ÿœ]*`, `escrib[ea][a-zà-öø-ÿœ]*`, `añad[ea][a-zà-öø-ÿœ]*`, `agrega[a-zà-öø-ÿœ]*`, `construye[a-zà-öø-ÿœ]*`, `redacta[a-zà-öø-ÿœ]*`, `haz(?:me)?`)
	remakes  = newLexicon(`refactor`, `rewrite`, `migrate`, `port (?:the|it|this|all|my|our)`, `convert`, `translate`, `rework`, `restructure`, `redesign`, `turn (?:the|this|my|our) [^.?!]* into`, `überarbeit[a-zà-öø-ÿœ]*`, `übersetz[a-zà-öø-ÿœ]*`, `schreib[a-zà-öø-ÿœ]* [^.?!]*um`, `traduis[a-zà-öø-ÿœ]*`, `traduire`, `traduce[a-zà-öø-ÿœ]*`, `réécri[a-zà-öø-ÿœ]*`, `reescrib[a-zà-öø-ÿœ]*`, `refonds`)
	wish     = newLexicon(`(?:we|i|they|people|users|visitors|readers|students) (?:want|need|'d like|would like|should (?:be able|get|have))`, `i'd (?:like|love)`, `it would be (?:lovely|nice|great|good|cool|useful)`, `(?:can|could) (?:we|the|visitors|users|people|readers) [^.?!]*(?:have|get|see|switch)[^.?!]*`, `how about (?:an?|some)`, `should(?:n't)? (?:the|we|it|there) [^.?!]*(?:have|be|get)`, `(?:can|could) the [^.?!]*(?:go|be)`, `next thing`, `would help`, `ich (?:hätte|möchte|will|brauche)`, `wir (?:brauchen|wollen)`, `es wäre (?:schön|toll|gut)`, `je (?:voudrais|veux)`, `il (?:me |nous )?(?:faut|faudrait)`, `j'aimerais`, `quiero`, `necesito`, `necesitamos`, `me gustaría`, `estaría bien`)
	shouldBe = newLexicon(`should (?:be|say|read|go|have been)`, `must be`, `has to be`, `would be better`, `too (?:short|long|small|big|large|dark|bright|loud|tight|wide|narrow|formal|many|much)`, `(?:is|was|are|were) [^.?!]*, not [a-zà-öø-ÿœ]+`, `not \d+`, `typos?`, `spelling`, `misspell[a-zà-öø-ÿœ]*`, `misspelt`, `muss [^.?!]*(?:heißen|sein|stehen|hin)`, `soll(?:te)? [^.?!]*(?:heißen|sein|stehen)`, `zu (?:lang|kurz|klein|groß|dunkel|hell)`, `tippfehler`, `faute`, `trop (?:long|court|petit|grand|sombre)`, `(?:doit|devrait) être`, `demasiado [a-zà-öø-ÿœ]+`, `debe(?:ría)? (?:ser|decir)`, `errata`)

	// What a change or a thing is about.
	small  = newLexicon(`comma`, `semicolon`, `full stop`, `typos?`, `title`, `headline`, `heading`, `header`, `footer`, `labels?`, `colou?rs?`, `spac(?:e|ing)`, `padding`, `margin`, `fonts?`, `lines? \d+`, `a line`, `icon`, `log line`, `console\.log`, `assertion`, `footnotes? \d+`, `quotes`, `bold`, `italics?`, `timeout`, `blurb`, `missing [a-zà-öø-ÿœ]+`, `null check`, `alt text`, `one (?:word|sentence|line)`, `(?:blue|red|green|grey|gray)`, `komma`, `punkt`, `überschrift`, `titel`, `wort`, `satz`, `farbe`, `abstand`, `schrift[a-zà-öø-ÿœ]*`, `virgule`, `titre`, `mot`, `phrase`, `couleur`, `espace`, `coma`, `título`, `palabra`, `frase`, `color`)
	big    = newLexicon(`implement`, `wire up`, `hook up`, `integrate`, `introduce`, `develop`, `design`, `build (?:me |us )?(?:an?|the)`, `compose`, `generate`)
	things = newLexicon(`books?`, `novel`, `apps?`, `(?:web)?sites?`, `shop`, `pictures?`, `pages?`, `chapters?`, `scenes?`, `features?`, `endpoints?`, `forms?`, `search`, `log-?in`, `sign-?(?:in|up)`, `newsletter`, `galler(?:y|ies)`, `subplot`, `appendix`, `glossary`, `leaderboard`, `dashboard`, `commands?`, `cli`, `api`, `components?`, `modules?`, `plug-?ins?`, `articles?`, `essays?`, `story`, `stories`, `poems?`, `reviews?`, `guide`, `timeline`, `maps?`, `calendar`, `comments`, `tests? (?:suite|for)`, `migration`, `integration`, `(?:ex|im)port(?:er)?`, `sidebar`, `editor`, `charts?`, `widgets?`, `quiz`, `epilogue`, `epílogo`, `épilogue`, `epilog`, `sheet`, `view`, `platform`, `prologue`, `foreword`, `bibliography`, `list`, `chat ?room`, `chat`, `reset`, `mails?`, `e-?mails?`, `notifi[a-zà-öø-ÿœ]+`, `notificaciones`, `benachrichtigung[a-zà-öø-ÿœ]*`, `upload[a-zà-öø-ÿœ]*`, `drag and drop`, `undo/redo`, `board`, `game`, `bot`, `theme`, `mode`, `filters?`, `pagination`, `section`, `summary`, `letter`, `script`, `act`, `pov|point of view`, `websockets?`, `payments?`, `roles?`, `accounts?`, `profiles?`, `\d[\d.,]* (?:words|pages|wörter|seiten|mots|palabras|páginas)`,
		`seiten?`, `kapitel`, `szenen?`, `suche`, `formular[a-zà-öø-ÿœ]*`, `kalender`, `galerie`, `anhang`, `glossar`, `artikel`, `gedicht[a-zà-öø-ÿœ]*`, `geschichte`, `anmeldung`, `brief`, `vorwort`, `nachwort`, `spiel`, `chapitres?`, `scènes?`, `formulaire`, `recherche`, `annexe`, `lettre`, `poème`, `préface`, `jeu`, `escenas?`, `página`, `capítulos?`, `buscador`, `formulario`, `galería`, `carta`, `poema`, `juego`)
	ours = newLexicon(`chapters?`, `files?`, `server`, `page`, `tests?`, `logs?`, `commits?`, `port`, `branch`, `agents?`, `tasks?`, `decisions?`, `words`, `footnotes?`, `sections?`, `paragraphs?`, `deed`, `project`, `drafts?`, `glossary`, `docs?`, `preface`, `dedication`, `index`, `bibliography`, `counts?`, `total`, `manuscript`, `packages?`, `versions?`, `todos?`, `approvals?`, `build`, `deploy[a-zà-öø-ÿœ]*`, `preview`, `database`, `config[a-zà-öø-ÿœ]*`, `we`, `running`, `\S+\.(?:js|ts|tsx|go|py|rs|md|html|css|json|log|txt|ya?ml|sh|lock)`,
		`kapitel`, `dateien?`, `datei`, `projekt`, `entwurf`, `seiten?`, `fertig`, `aufgaben?`, `chapitres?`, `fichiers?`, `serveur`, `projet`, `brouillon`, `tâches?`, `capítulos?`, `archivos?`, `servidor`, `proyecto`, `borrador`, `tareas?`)

	questionWord = dialog.Lazily(`^(?:hey|hi|hello|so|and|ok|quick one|[,:.! ])*\s*(?:what|which|who|whose|when|where|how|is|are|was|were|do (?:you|we|they|i|these|those|any)|does|did|has|have|can|could|was|wer|wie|wo|wann|welche\w*|ist|sind|hast|quel\w*|qui|comment|où|quand|est-ce|qué|quién|cómo|cuándo|dónde|cuál\w*)\b`)

	askedAbout = dialog.Lazily(`^(?:[^a-zà-öø-ÿœ]|hey |so |and |ok )*(?:what|which|wich|who|when|where|how (?:many|much|long|far)|welche\w*|wer|wann|wo|wie viele?|quel\w*|qui|quand|où|combien|qué|quién|cuándo|dónde|cuánt\w*|cuál\w*)\b`)

	// polite begins an order that looks like a question.
	polite = dialog.Lazily(`^(?:[^a-zà-öø-ÿœ]|hey |hi |so |and |ok |bitte |please )*(?:can|could|would|will|kannst|könntest|würdest|peux-tu|tu peux|pourrais-tu|puedes|podrías)\b`)
	// acts are orders that tell nothing of how much work they are.
	acts = newLexicon(`(?:re)?start`, `stop`, `run`, `rerun`, `open`, `deploy`, `launch`, `install`, `execute`, `look`, `try`, `commit`, `starte?`, `öffne`, `führ`, `lance`, `démarre`, `relance`, `arranca`, `reinicia`, `ejecuta`)

	// Talk.
	world   = newLexicon(`your (?:favou?rite|opinion)`, `people`, `novelists?`, `writers?`, `poets?`, `word for`, `rust|python|haskell|javascript`, `(?:year|century|weather|film|movie|song)`)
	opinion = newLexicon(`what do you think`, `do you (?:prefer|like|believe)`, `have you (?:ever )?(?:read|seen|heard)`, `in your opinion`, `who are you`, `what are you`, `what can you do`, `what (?:sort|kind) of thing`, `how are you`, `are you (?:there|ok|real|human)`, `is [a-zà-öø-ÿœ]+ (?:[a-zà-öø-ÿœ]+ )?(?:harder|better|easier|faster|worth)[^.?!]*`, `worth (?:fighting|learning|reading)`, `why (?:do|does|are|is) (?:so many |most |some )?(?:novelists|authors|readers hate)`, `why (?:do|does|are|is) (?:so many |most |some )?(?:people|novelists|writers|programmers|poets|everyone|everybody)`, `was hältst du`, `wie geht(?:'s| es)`, `kennst du`, `que penses-tu`, `(?:comment )?ça va`, `tu connais`, `qué (?:opinas|tal)`, `come stai`, `cosa ne pensi`, `conoces`, `wer bist du`, `think aloud`, `just curious`)
	chat    = newLexicon(`hi|hello|hey|hallo|bonjour|bonsoir|hola|salut|moin|servus|good (?:morning|afternoon|evening|night|day)|guten? (?:morgen|tag|abend|nacht)|buen[oa]s (?:días|tardes|noches)`, `(?:many |vielen |muchas )?(?:thank[a-zà-öø-ÿœ]*|thx|ty|merci|danke?[a-zà-öø-ÿœ]*|gracias|grazie|cheers)(?: (?:you|so much|a lot|a million|dir|ihnen|dafür|schön|sehr|beaucoup|bien|mille|tante|for (?:explaining|asking|that|this|everything|your [a-z]+)))*`, `buongiorno|buonasera|salve|prego|scusa|va bene|d'accordo|ottimo|perfetto|👍|👏|🙏|❤️|😊|🎉`, `lol|haha[a-zà-öø-ÿœ]*|wow`, `great job|well done|good job|nice (?:one|work)|love(?:ly| it| this)|perfect|awesome|amazing|brilliant|genial|parfait|super|toll|prima|wunderbar|klasse|perfecto`, `makes sense|sounds good|got it|i see|alles klar|ça marche|no worries|d'accord|de acuerdo`, `never mind|my mistake|all good|(?:that |this |it )?(?:sounds|looks|seems) (?:right|good|fine|great)(?: to me)?|great|nice|cool|vale|klingt gut|sieht gut aus|suena bien|me parece bien|ça me va`, `sorry|excuse|entschuldig[a-zà-öø-ÿœ]*|pardon|désolée?|perdón`, `bye|see you(?: tomorrow| soon| later)?|talk later|tschüss|à demain|hasta luego|ciao|adiós|bis (?:morgen|später|dann)`, `me encanta`)
	feeling = newLexicon(`i'm (?:a bit|so|sad|happy|tired)`, `i (?:laughed|cried|loved?|like[d]?|enjoyed|feel|understand)`, `but i like`, `(?:my|the|our) [a-zà-öø-ÿœ]+ (?:hated|loved|liked|got an a)`, `it happens`, `(?:that's|this is|it's) (?:exactly |just )?(?:what i|perfect|great|lovely|wonderful|fine|all|it)`, `das (?:war's|ist (?:alles|super|toll))`, `dann weiß ich`, `c'est (?:parfait|bien|tout|super|génial)`, `cómo ha quedado`, `time for (?:bed|breakfast|lunch|dinner|supper|tea|(?:a |some )?(?:coffee|break|nap|walk)|me to)`, `you really`, `happy (?:with|about)`, `have a (?:nice|good|great) (?:day|evening|night|weekend|week|one|time|trip|morning|afternoon|holiday)`, `talk to you (?:later|soon|tomorrow|then)`)
	// reserves are words behind a feeling or praise with which it wants something changed.
	reserves = newLexicon(`but`, `except[a-z]*`, `(?:apart|aside) from`, `save for`, `until`, `al?though`, `though`, `however`, `only`, `minus`, `without`, `not`, `[a-z]+n't`, `no`, `needs?`, `needed to`, `wants?`, `should`, `must`, `ha(?:ve|s) to`, `too`, `more`, `less`, `than`, `wrong`, `broken?`, `missing`, `gone`, `lost`, `dies`, `drags?`, `rushed`, `stiff`, `flat`, `thin`, `boring`, `confus[a-z]*`, `unclear`, `like (?:the|it|this|that) [a-z]+ (?:is|are|was)`, `(?:i[st]|is|are|was|were) (?:a bit|a little|very|quite|rather|somewhat|kind of)`,
		`aber`, `nur`, `bis auf`, `außer`, `ohne`, `nicht`, `kein[a-zà-öø-ÿœ]*`, `zu`, `mehr`, `weniger`, `als`, `falsch`, `kaputt`, `fehlt`, `weg`, `mais`, `sauf`, `sans`, `pas`, `trop`, `plus`, `moins`, `cassée?s?`, `pero`, `salvo`, `excepto`, `sin`, `falta`, `demasiado`, `más`, `menos`, `ma`, `tranne`, `senza`, `troppo`, `non`)
	// whole ends what says of all of it what follows; asMeant is what may follow in talk.
	whole    = dialog.Lazily(`(?:\ball|\bit|\balles|\btout)\W?$`)
	asMeant  = dialog.Lazily(`^(?:i|we|you|ich|wir|je|on) [a-zà-öø-ÿœ']+(?: to know)?$|^(?:good|fine|right|well|clear|great|perfect|gut|klar|bon|bien)$`)
	proposes = newLexicon(`i(?:'d| would)? (?:propose|suggest|recommend|advise)`, `(?:i|we) (?:would|could|might|will)`, `i'(?:d|ll)`, `(?:my|a|the) (?:proposal|suggestion|plan|idea)`, `proposals?:`, `plan:`, `(?:i|we) can (?:also |then |now )?[a-z]+`, `if you (?:like|want|wish|agree|prefer)`, `let me know`, `next steps?`, `ready to`, `shall i`, `happy to`,
		`(?:ich )?schlage [^.?!]*vor`, `vorschlag[a-z]*`, `ich (?:würde|könnte|kann|werde)`, `(?:würde|könnte|kann) ich`, `wenn (?:du|sie) (?:magst|möchtest|willst|möchten|wollen)`, `je (?:propose|suggère|peux|pourrais|vais)`, `(?:ma|une) proposition`, `si (?:tu veux|vous voulez|tu le souhaites|vous le souhaitez)`, `propongo`, `sugiero`, `(?:mi|una) propuesta`, `(?:puedo|podría|voy a) [a-zà-öø-ÿœ]+`, `si (?:quieres|quiere|te parece)`, `(?:la mia|una) proposta`, `(?:posso|potrei) [a-zà-öø-ÿœ]+`, `se (?:vuoi|vuole)`)
	// orders are signs of work in what looks like a look at something, or like talk.
	orders = newLexicon(`edit`, `(?:get|see (?:to it )?that|ensure|make sure|keep) [^.?!]*(?:green|pass|work|works|build|builds|run|runs|clean)`, `do (?:what|as|so|that|it)`, `follow (?:it|them|its|the)`, `(?:if|when) not,? [a-z]+`, `(?:else|otherwise),? [a-z]+`, `(?:and|then) (?:[a-z]+ )?(?:start|fix|edit|shorten|write|save|store|put|add|correct|update|change|act|rename|remove|delete|mend|make|do|translate|send|apply|follow|run|commit|restart|sort|format|reorder)`, `(?:show|display|print|list|count|read)s? [^.?!]*\b(?:in|on|at|into|below|above|beside|under|next to) (?:an? |the |each |every |all |our |my )?(?:new |top |bottom )?(?:[a-z]+ )?(?:footer|header|page|pages|sidebar|menu|title|corner|file|top|bottom|home ?page|navbar|table|left|right|banner|button|screen|side|\S+\.(?:txt|md|html|css|js|ts|json|csv))`, `^(?:please )?(?:display|show) (?:the|a|an|our|my) (?:logo|date|banner|icon|button|image|picture|menu|author|title|time|price|total)`, `into \S+`, `(?:how|what) about (?:[a-z]+ing|an?|some|more)`, `why (?:not|don't we|don't you) [a-z]+`, `(?:save|store|mend|append|insert|polish|proofread|format|sort|reorder|arrange|clean|apply|handle|complete|continue|finish)`,
		`(?:und|dann) [^.?!]*(?:kürze|ändere|korrigiere|schreib|schreibe|speichere|starte|mach|mache|tu|tue|füge|lösche|behebe|verbessere|übersetze|sortiere|erstelle|lege|trage|setze|ergänze|benenne|folge|führe)`, `(?:wenn|falls) nicht,? [a-zà-öø-ÿœ]+`, `(?:sonst|andernfalls) [a-zà-öø-ÿœ]+`, `bearbeite[a-zà-öø-ÿœ]*`, `(?:sorge|sorg|schau|sieh) (?:dafür|zu),? dass`, `zeige? [^.?!]*(?:in der|im|auf der|am|unter) (?:fußzeile|kopfzeile|seite|startseite|fuß|kopf|menü|titel|rand)`, `(?:verbesser|speicher|sortier|formatier|beheb)[a-zà-öø-ÿœ]*`, `wie wäre es mit`, `wie wär's mit`,
		`(?:et|puis) (?:[a-zà-öø-ÿœ]+[- ])?(?:corrige|raccourcis|écris|enregistre|modifie|fais|ajoute|démarre|lance|relance|supprime|traduis|applique|suis|mets|range|trie)[a-zà-öø-ÿœ]*`, `(?:sinon|si non),? [a-zà-öø-ÿœ]+`, `(?:édite|modifie|enregistre|applique|améliore|répare|trie|veille)[a-zà-öø-ÿœ]*`, `affiche[a-zà-öø-ÿœ]* [^.?!]*(?:dans le|en|sur la|sur le|au) (?:pied|page|bas|haut|menu|titre|en-tête)`, `(?:et si|si) (?:on|tu|nous) [a-zà-öø-ÿœ]+`,
		`(?:y|luego|e|poi) (?:[a-zà-öø-ÿœ]+ )?(?:acorta|corrige|escribe|guarda|haz|añade|arranca|inicia|borra|traduce|aplica|sigue|ordena|modifica|cambia|accorcia|correggi|scrivi|salva|fai|aggiungi|avvia|traduci|segui|ordina|cambia|riavvia)[a-zà-öø-ÿœ]*`, `si no(?: lo está| está)?,? [a-zà-öø-ÿœ]+`, `se no,? [a-zà-öø-ÿœ]+`, `altrimenti [a-zà-öø-ÿœ]+`, `(?:edita|modifica|guarda|aplica|mejora|repara|ordena|asegúrate|salva|correggi|migliora|sistema|accorcia|fai in modo|assicurati)[a-zà-öø-ÿœ]*`, `(?:muestra|mostra)[a-zà-öø-ÿœ]* [^.?!]*(?:en|en el|en la|nel|nella|in) (?:pie|página|cabecera|menú|título|piè|pagina|intestazione|testata|fondo)`, `(?:qué tal si|che ne dici di|y si) [a-zà-öø-ÿœ]+`)
	fillers  = dialog.Lazily(`^\W*(?:(?:so|much|a lot|there|for me|all|again|for now|today|everyone|i|this|that|and|und|et|y|e)\W+)*(?:all|again|for me|for now|today|everyone|this|that|and|und|et)\W*$`)
	onlyChat = dialog.Lazily(`^(?:\b(?:ok|okay|yes|yep|yeah|sure|no|nope|ja|nein|oui|non|vale|cool|nice|great|fine|right|exactly|agreed|good|very|so|much|a lot|beaucoup|schön|muchas|there|agent|to me|for me|all|again|for now|today|everyone|i|this|that|and|und|et|y|e|genau|passt|gut|bien|muy|bene|my friend)\b|sí|[\s,.!?…:;()'\pS\x{FE0F}\x{200D}-])+$`)
)
