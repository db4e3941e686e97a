package governor

import (
	"regexp"
	"strings"
)

// Classify returns the intent of a prompt, one of dialog.Intents, or "" where its
// words tell none. It looks for signs in English, German, French and Spanish: how large
// the work is, whether something is to be changed or made, what is wrong, what is asked
// about. The costly mistake is to take work for talk, since talk runs no tool; so talk
// is what has no other sign.
func Classify(prompt string) string {
	text := strings.NewReplacer("’", "'", "‘", "'").Replace(strings.Join(strings.Fields(prompt), " "))
	if rest := handsOff.ReplaceAllString(text, " "); rest != text {
		if asked.MatchString(rest) || order(shows).MatchString(rest) {
			return "status_check"
		}
		if lookInto.MatchString(rest) || trouble.MatchString(rest) {
			return "diagnose"
		}
		return "conversational"
	}
	last := lastSentence(text)
	switch {
	case order(opinion).MatchString(text) && isQuestion(text) && !ours.MatchString(text):
		return "conversational"
	case machine.MatchString(text):
		return "diagnose"
	case untilDone.MatchString(text), byItself.MatchString(text):
		return "autonomous"
	case lookInto.MatchString(text) && !made(last):
		return "diagnose"
	case (asked.MatchString(text) || order(shows).MatchString(text)) && !made(last):
		return "status_check"
	case isQuestion(text) && askedAbout.MatchString(last) && ours.MatchString(last):
		return "status_check"
	case allOfIt.MatchString(text) && (makes.MatchString(text) || remakes.MatchString(text)):
		return "autonomous"
	case opinion.MatchString(text) && !wants(text):
		return "conversational"
	case wants(text):
		return size(text)
	case order(chat).MatchString(text) && len(strings.Fields(text)) < 14 && !isQuestion(text):
		return "conversational"
	case trouble.MatchString(text):
		return "diagnose"
	case isQuestion(text):
		if ours.MatchString(text) {
			return "status_check"
		}
		return "conversational"
	case things.MatchString(text) && !chat.MatchString(text):
		return "feature_build"
	case ours.MatchString(text) && !chat.MatchString(text):
		return "status_check"
	case chat.MatchString(text), onlyChat.MatchString(text):
		return "conversational"
	}
	return ""
}

// lastSentence is where a request often stands, behind what led to it.
func lastSentence(text string) string {
	parts := sentences.Split(strings.TrimRight(text, ".!? "), -1)
	return strings.TrimSpace(parts[len(parts)-1])
}

// made reports whether a sentence is an order to change or make something.
func made(sentence string) bool {
	return order(makes).MatchString(sentence) || order(alters).MatchString(sentence) || order(remakes).MatchString(sentence)
}

// wants reports whether a text wants something changed or made.
func wants(text string) bool {
	return makes.MatchString(text) || alters.MatchString(text) || remakes.MatchString(text) || wish.MatchString(text) || shouldBe.MatchString(text)
}

// size tells a small fix from a feature.
func size(text string) string {
	long := len(strings.Fields(text)) > 45
	grows := makes.MatchString(text) || wish.MatchString(text)
	switch {
	case remakes.MatchString(text), grows && things.MatchString(text) && !small.MatchString(text), long:
		return "feature_build"
	case big.MatchString(text) && !small.MatchString(text):
		return "feature_build"
	case !grows, small.MatchString(text), shouldBe.MatchString(text):
		return "small_fix"
	case len(strings.Fields(text)) <= 10:
		return "small_fix"
	}
	return "feature_build"
}

func isQuestion(text string) bool {
	return strings.HasSuffix(strings.TrimRight(text, ") \t"), "?") || questionWord.MatchString(text) || strings.HasPrefix(text, "¿")
}

// order matches a sentence that begins with what re matches, behind politeness.
func order(re *regexp.Regexp) *regexp.Regexp { return orders[re] }

var orders = map[*regexp.Regexp]*regexp.Regexp{}

func lexicon(alternatives ...string) *regexp.Regexp {
	all := strings.Join(alternatives, "|")
	re := regexp.MustCompile(`(?i)` + words(all))
	orders[re] = regexp.MustCompile(`(?i)^[^\pL]*(?:(?:hey|hi|hello|ok|okay|so|and|now|then|just|please|pls|also|hallo|bitte|mal|doch|bonjour|hola|por favor|s'il te plaît|kannst du|könntest du|würdest du|can you|could you|would you(?: mind)?|will you|can we|could we|let's|i want you to|i need you to|i'd like you to|peux-tu|tu peux|pourrais-tu|puedes|podrías)[,!:]? +)*(?:` + all + `)(?:$|[^\pL\d_])`)
	return re
}

// works are what takes many rounds to make.
const works = `(?:app|application|book|novel|(?:web)?site|shop|store|codebase|project|product|game|clone|plan|compiler|collection|series|manuscript|chapters|issues|tasks|items?|spec|stack|platform|memoir|thing|milestones|diary)`

var (
	sentences = regexp.MustCompile(`[.!?;:]+\s+`)
	machine   = regexp.MustCompile(`(?i)^\W*(?:\w*error\b|\w*exception\b|fatal:|traceback|panic:|segfault|npm err|uncaught|unhandled|cannot find|failed to )|\n\s+at |exit code \d|exit status \d|segmentation fault|stack ?trace|segfault`)

	handsOff = lexicon(`(?:don't|do not|no need to|without) (?:change|touch|touching|fix|edit|do)(?: a thing| anything| any of it| it)?(?: yet)?`, `don't want you to do`, `no changes`, `no need to (?:answer|reply|do)`, `nichts (?:ändern|anfassen)`, `ne (?:touche|change) (?:à )?rien`, `no (?:toques|cambies) nada`)

	// How much: all of it, and by itself.
	untilDone = lexicon(`from scratch`, `(?:start|beginning) to (?:finish|end)`, `from a to z`, `end to end`, `one-?shot`, `(?:don't|do not|never) (?:stop|quit)`, `without (?:stopping|a break)`, `(?:until|till) (?:every|all|everything|it's|it is|it|done|none|nothing|finished|the end|you|coverage|there)`,
		`keep (?:going|working|at it|on|it up)`, `(?:carry|press) on`, `go on (?:with|until|and|alone)`, `do the (?:whole|entire|rest)`, `work (?:your way )?through`, `go through (?:the )?(?:\pL+ )*(?:list|backlog|all|every)`, `one (?:after|by) (?:another|the other|one)`, `however long`, `whatever (?:is missing|breaks|it takes)`, `the other (?:\d+|\pL+teen|\pL+ty)`, `the rest of (?:the|it|them)`, `\d+ through \d+`, `repeat until`, `loop:`, `(?:do|finish) (?:\pL+ )*everything`, `alles fertig`,
		`von (?:grund auf|null an?|vorne? bis hinten|a bis z|anfang bis ende)`, `bis (?:alles|es|das|zum|alle|du|nichts)`, `(?:mach|arbeite?) (?:\pL+ )?weiter`, `der reihe nach`, `de (?:a à z|zéro|bout en bout)`, `du début à la fin`, `jusqu'(?:à|au|ce)`, `sans (?:t'arrêter|pause)`, `continue (?:jusqu|tout)`, `l'un après l'autre`, `de principio a fin`, `desde cero`, `hasta (?:terminar|el final|acabar|que)`, `sin parar`, `uno (?:tras|por) (?:otro|uno)`, `sigue`)
	byItself = lexicon(`(?:by yourself|on your own|all alone|unattended|autonom\pL*|free rein|free hand|full control|carte blanche|i trust you)`, `(?:don't|do not|no need to|never|stop|without) (?:ask|asking|check|checking|wait|waiting)(?: in| back| me| for me)?`, `as many agents`, `decide (?:yourself|everything)`, `surprise me`, `(?:i'll|i will|i'm|i am) (?:be )?(?:offline|away|asleep|going to bed|off to bed|on holiday|out of office)`, `(?:come|report) back (?:to me )?(?:only )?when`, `when i wake up|(?:work|run) overnight|while i sleep`, `(?:don't|dont|do not) want to hear`, `(?:all|it|thing) yourself`,
		`ohne (?:zu fragen|rückfragen?|nachzufragen|anzuhalten)`, `selbst(?:st)?ändig`, `freie hand`, `wenn (?:alles|du) (?:durch|fertig)`, `allein`, `über nacht`, `tout seul`, `toute seule`, `sans (?:me )?(?:demander|attendre)`, `tú sol[oa]`, `por tu cuenta`, `sin (?:preguntar|esperar)\pL*`)
	allOfIt = lexicon(`(?:whole|entire|complete|full|finished|all|every|each|remaining|finish) (?:\pL+ |\d+ ){0,4}`+works, `\d\d+ (?:\pL+ )?(?:issues|files|stories|chapters|tickets|bugs|recipes|poems|page \pL+)`, `(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty) (?:stories|chapters|episodes|issues)`, `(?:do|build|make|create|finish|implement|fix|write|ship|handle) (?:\pL+ )*everything`, `[,:] everything`, `alles fertig`,
		`(?:ganzen?|komplette[nrs]?|gesamte[nrs]?|alle|sämtliche) (?:\pL+ )?(?:app|anwendung|buch|roman|seite|website|projekt|spiel|manuskript|kapitel|aufgaben|shop)`, `tou(?:t|te|tes|s) (?:le |la |l'|les |mon |ma )?(?:site|livre|roman|application|appli|projet|jeu|chapitres|boutique)`, `tod[oa]s? (?:la |el |los |las |mi )?(?:aplicación|app|libro|novela|sitio|proyecto|juego|capítulos|tienda)`)

	// What is asked about, and what is wrong.
	asked    = lexicon(`^status`, `where are we`, `how far`, `(?:did|have|has) (?:the |all |our )?(?:tests?|build|deploy\pL*|ci|agents?) (?:\pL+ )?(?:pass|succeed|run|finish|go)\pL*`, `(?:is|are|läuft|sind|ist) [^.?!]*(?:still|already|noch|schon|encore|todavía) [^.?!]*`, `(?:is|are) (?:the |my |our |it |that |anything |anyone |there )?[^.?!]*(?:up|running|finished|done|ready|waiting|left|open)$`, `wie weit`, `wo stehen wir`, `où en (?:est|sommes)[^.?!]*`, `cómo va`, `corriendo`, `en marcha`, `how (?:many|much|long|big|large)`, `wie (?:viele?|lang|groß)`, `combien`, `cuánt[oa]s?`, `git (?:status|log|diff)`)
	shows    = lexicon(`list`, `show`, `print`, `count`, `display`, `read (?:me|out)`, `zeig\pL*`, `liste`, `affiche\pL*`, `montre\pL*`, `muestra\pL*`, `muéstra\pL*`, `dime`, `lis`, `lies`, `tell me (?:how many|which|what|whether|if)`, `sag mir`, `what'?s in`)
	lookInto = lexicon(`why`, `how come`, `what(?:'s| is| went| goes| am i doing) (?:\pL+ )?wrong`, `what(?:'s| is) (?:going on|happening|broken|off|up with)`, `what the (?:hell|heck)`, `what's (?:eating|taking|slowing|causing|breaking)`, `how (?:is|can) (?:that|this|it) (?:be )?(?:pos+ible)?`, `d'où`, `any (?:ideas?|clue)`, `(?:figure|find) out`, `investigate`, `diagnose`, `debug`, `look into`, `track down`, `get to the bottom`, `where (?:exactly )?(?:does|do|is|did) [^.?!]*(?:come from|lose|go wrong|goes wrong|break|fail|hang|drag)\pL*`, `tell me where`, `root cause`, `the cause`, `explanation`, `reason (?:for|why|is)`, `what (?:causes|caused|makes|made|explains)`, `explain (?:why|the|this|what this|how this)`, `check (?:if|whether) my (?:argument|reasoning|logic)`, `is (?:she|he|it) right`, `circular`,
		`warum`, `wieso`, `weshalb`, `woran`, `was (?:ist|stimmt|läuft)[^.?!]*(?:los|falsch|schief|nicht)`, `ursache`, `find\pL* heraus`, `pourquoi`, `qu'est-ce qui`, `d'où vient`, `la cause`, `trouve (?:pourquoi|d'où|ce qui)`, `cherche[rz]? (?:pourquoi|la cause)`, `por qué`, `qué (?:pasa|falla|ocurre)`, `averigua`, `la causa`)
	trouble = lexicon(`fail\pL*`, `errors?`, `crash\pL*`, `broke\pL*`, `breaks?`, `bugs?`, `vanish\pL*`, `disappear\pL*`, `hang\pL*`, `freez\pL*`, `flicker\pL*`, `leak\pL*`, `stuck`, `blows? up`, `blank`, `empty page`, `wrong`, `off by`, `weird`, `strange`, `slow(?:er|ly)?`, `red`, `complain\pL*`, `contradict\pL*`, `confus\pL*`, `refus\pL*`, `in use`, `lost`, `(?:clumsy|flat|dull|boring|wooden|fake|unbelievable|weak)`, `(?:does|do|is|are|did|was|has|wo|ca)n'?t (?:\pL+ ){0,3}\pL+`, `(?:does|do|is|will|can) not \pL+`, `cannot`, `does nothing`, `no longer`, `nothing happens`, `(?:4|5)\d\d`, `drags`, `takes (?:\pL+ )?(?:\pL+|\d+) (?:seconds|minutes|hours)`,
		`fehl\pL*`, `kaputt`, `hängt`, `abgestürzt|stürzt`, `leer`, `klingt`, `stimm\pL* nicht`, `(?:geht|funktioniert|klappt|lädt|startet)[^.?!]*nicht(?:s)?`, `stimm\pL*[^.?!]*nicht`, `verschwunden`, `échoue\pL*`, `planté?e?`, `vide`, `ne (?:marche|fonctionne|s'affiche|charge|répond|démarre)\pL* (?:pas|plus)`, `bloqué\pL*`, `faux`, `falla\pL*`, `rot[oa]`, `no (?:funciona|carga|abre|arranca|aparece|va)`, `vací[oa]`, `se (?:cae|cuelga)`)

	// What is to be done.
	alters = lexicon(`change`, `fix`, `replace`, `swap`, `rename`, `bump`, `remove`, `delete`, `drop`, `shorten`, `set`, `correct`, `turn`, `make (?:it|the|that|this|them|sure)`, `move`, `use`, `update`, `adjust`, `tweak`, `align`, `indent`, `increase`, `decrease`, `reduce`, `raise`, `lower`, `capitali[sz]e`, `cut`, `trim`, `put(?:ting)?`, `switch`, `undo`, `revert`, `hide`, `center`, `reword`, `rephrase`, `split`, `merge`, `tidy`, `clean up`, `take care of`, `get rid of`, `instead`, `spell`,
		`mach\pL*`, `änder\pL*`, `korrigier\pL*`, `ersetz\pL*`, `entfern\pL*`, `lösch\pL*`, `tausch\pL*`, `setz\pL*`, `kürz\pL*`, `streich\pL*`, `verschieb\pL*`, `benenn\pL*`, `nimm`, `remplace\pL*`, `change\pL*`, `corrige\pL*`, `enl[eè]v\pL*`, `supprime\pL*`, `mets`, `mettre`, `déplace\pL*`, `renomme\pL*`, `raccourci\pL*`, `cambia\pL*`, `corrige\pL*`, `quita\pL*`, `reemplaza\pL*`, `elimina\pL*`, `borra\pL*`, `pon(?:er|le)?`, `acorta\pL*`, `renombra\pL*`, `mueve`)
	makes = lexicon(`add`, `build (?:me|us|an?|the|this|it|out|some|every|all|one)`, `finish (?:the|all|my|this)`, `create`, `write`, `draft`, `implement`, `compose`, `design`, `set up`, `introduce`, `develop`, `generate`, `produce`, `make (?:me )?(?:an?|some|my)`, `wire up`, `hook up`, `sketch`, `scaffold`, `prepare`, `extend`, `support`,
		`kannst du [^.?!]*(?:machen|bauen|schreiben|anlegen|einbauen)`, `bau\pL*`, `schreib\pL*`, `erstell\pL*`, `entwirf`, `entwickl?e\pL*`, `füg\pL*`, `leg\pL* [^.?!]*an`, `ergänz\pL*`, `ajoute\pL*`, `crée\pL*`, `créer`, `écri[st]\pL*`, `construi[st]\pL*`, `rédige\pL*`, `développe\pL*`, `fais`, `crea\pL*`, `escrib[ea]\pL*`, `añad[ea]\pL*`, `agrega\pL*`, `construye\pL*`, `redacta\pL*`, `haz(?:me)?`)
	remakes  = lexicon(`refactor`, `rewrite`, `migrate`, `port (?:the|it|this|all|my|our)`, `convert`, `translate`, `rework`, `restructure`, `redesign`, `turn (?:the|this|my|our) [^.?!]* into`, `überarbeit\pL*`, `übersetz\pL*`, `schreib\pL* [^.?!]*um`, `traduis\pL*`, `traduire`, `traduce\pL*`, `réécri\pL*`, `reescrib\pL*`, `refonds`)
	wish     = lexicon(`(?:we|i|they|people|users|visitors|readers|students) (?:want|need|'d like|would like|should (?:be able|get|have))`, `i'd (?:like|love)`, `it would be (?:lovely|nice|great|good|cool|useful)`, `(?:can|could) (?:we|the|visitors|users|people|readers) [^.?!]*(?:have|get|see|switch)[^.?!]*`, `how about (?:an?|some)`, `should(?:n't)? (?:the|we|it|there) [^.?!]*(?:have|be|get)`, `(?:can|could) the [^.?!]*(?:go|be)`, `next thing`, `would help`, `ich (?:hätte|möchte|will|brauche)`, `wir (?:brauchen|wollen)`, `es wäre (?:schön|toll|gut)`, `je (?:voudrais|veux)`, `il (?:me |nous )?(?:faut|faudrait)`, `j'aimerais`, `quiero`, `necesito`, `necesitamos`, `me gustaría`, `estaría bien`)
	shouldBe = lexicon(`should (?:be|say|read|go|have been)`, `must be`, `has to be`, `would be better`, `too (?:short|long|small|big|large|dark|bright|loud|tight|wide|narrow|formal|many|much)`, `(?:is|was|are|were) [^.?!]*, not \pL+`, `not \d+`, `typos?`, `spelling`, `misspell\pL*`, `misspelt`, `muss [^.?!]*(?:heißen|sein|stehen|hin)`, `soll(?:te)? [^.?!]*(?:heißen|sein|stehen)`, `zu (?:lang|kurz|klein|groß|dunkel|hell)`, `tippfehler`, `faute`, `trop (?:long|court|petit|grand|sombre)`, `(?:doit|devrait) être`, `demasiado \pL+`, `debe(?:ría)? (?:ser|decir)`, `errata`)

	// What a change or a thing is about.
	small  = lexicon(`comma`, `semicolon`, `full stop`, `typos?`, `title`, `headline`, `heading`, `header`, `footer`, `labels?`, `colou?rs?`, `spac(?:e|ing)`, `padding`, `margin`, `fonts?`, `lines? \d+`, `a line`, `icon`, `log line`, `console\.log`, `assertion`, `footnotes? \d+`, `quotes`, `bold`, `italics?`, `timeout`, `blurb`, `missing \pL+`, `null check`, `alt text`, `one (?:word|sentence|line)`, `(?:blue|red|green|grey|gray)`, `komma`, `punkt`, `überschrift`, `titel`, `wort`, `satz`, `farbe`, `abstand`, `schrift\pL*`, `virgule`, `titre`, `mot`, `phrase`, `couleur`, `espace`, `coma`, `título`, `palabra`, `frase`, `color`)
	big    = lexicon(`implement`, `wire up`, `hook up`, `integrate`, `introduce`, `develop`, `design`)
	things = lexicon(`pages?`, `chapters?`, `scenes?`, `features?`, `endpoints?`, `forms?`, `search`, `log-?in`, `sign-?(?:in|up)`, `newsletter`, `galler(?:y|ies)`, `subplot`, `appendix`, `glossary`, `leaderboard`, `dashboard`, `commands?`, `cli`, `api`, `components?`, `modules?`, `plug-?ins?`, `articles?`, `essays?`, `story`, `stories`, `poems?`, `reviews?`, `guide`, `timeline`, `maps?`, `calendar`, `comments`, `tests? (?:suite|for)`, `migration`, `integration`, `(?:ex|im)port(?:er)?`, `sidebar`, `editor`, `charts?`, `widgets?`, `quiz`, `epilogue`, `prologue`, `foreword`, `bibliography`, `list`, `chat ?room`, `chat`, `reset`, `mails?`, `e-?mails?`, `notifi\pL+`, `notificaciones`, `benachrichtigung\pL*`, `upload\pL*`, `drag and drop`, `undo/redo`, `board`, `game`, `bot`, `theme`, `mode`, `filters?`, `pagination`, `section`, `summary`, `letter`, `script`, `act`, `pov|point of view`, `websockets?`, `payments?`, `roles?`, `accounts?`, `profiles?`, `\d[\d.,]* (?:words|pages|wörter|seiten|mots|palabras|páginas)`,
		`seiten?`, `kapitel`, `szenen?`, `suche`, `formular\pL*`, `kalender`, `galerie`, `anhang`, `glossar`, `artikel`, `gedicht\pL*`, `geschichte`, `anmeldung`, `brief`, `vorwort`, `nachwort`, `spiel`, `chapitres?`, `scènes?`, `formulaire`, `recherche`, `annexe`, `lettre`, `poème`, `préface`, `jeu`, `escenas?`, `página`, `capítulos?`, `buscador`, `formulario`, `galería`, `carta`, `poema`, `juego`)
	ours = lexicon(`chapters?`, `files?`, `server`, `page`, `tests?`, `logs?`, `commits?`, `port`, `branch`, `agents?`, `tasks?`, `decisions?`, `words`, `footnotes?`, `sections?`, `paragraphs?`, `deed`, `project`, `drafts?`, `glossary`, `docs?`, `preface`, `dedication`, `index`, `bibliography`, `counts?`, `total`, `manuscript`, `packages?`, `versions?`, `todos?`, `approvals?`, `build`, `deploy\pL*`, `preview`, `database`, `config\pL*`, `we`, `running`, `\S+\.(?:js|ts|tsx|go|py|rs|md|html|css|json|log|txt|ya?ml|sh|lock)`,
		`kapitel`, `dateien?`, `datei`, `projekt`, `entwurf`, `seiten?`, `fertig`, `aufgaben?`, `chapitres?`, `fichiers?`, `serveur`, `projet`, `brouillon`, `tâches?`, `capítulos?`, `archivos?`, `servidor`, `proyecto`, `borrador`, `tareas?`)

	questionWord = regexp.MustCompile(`(?i)^(?:hey|hi|hello|so|and|ok|quick one|[,:.! ])*\s*(?:what|which|who|whose|when|where|how|is|are|was|were|do|does|did|has|have|can|could|was|wer|wie|wo|wann|welche\w*|ist|sind|hast|quel\w*|qui|comment|où|quand|est-ce|qué|quién|cómo|cuándo|dónde|cuál\w*)\b`)

	askedAbout = regexp.MustCompile(`(?i)^(?:[^\pL]|hey |so |and |ok )*(?:what|which|wich|who|when|where|how (?:many|much|long|far)|welche\w*|wer|wann|wo|wie viele?|quel\w*|qui|quand|où|combien|qué|quién|cuándo|dónde|cuánt\w*|cuál\w*)\b`)

	// Talk.
	opinion  = lexicon(`what do you think`, `do you (?:prefer|like|think|believe|know)`, `have you (?:ever )?(?:read|seen|heard)`, `in your opinion`, `who are you`, `what are you`, `what can you do`, `what (?:sort|kind) of thing`, `how are you`, `are you (?:there|ok|real|human)`, `what does \S+ mean`, `what(?:'s| is) the difference`, `(?:explain|could you explain) (?:to me )?(?:in |what an? )[^.?!]*`, `is \pL+ (?:\pL+ )?(?:harder|better|easier|faster|worth)[^.?!]*`, `worth (?:fighting|learning|reading)`, `why (?:do|does|are|is) (?:so many |most |some )?(?:people|novelists|writers|programmers|poets|everyone|everybody)`, `was hältst du`, `wie geht(?:'s| es)`, `kennst du`, `que penses-tu`, `(?:comment )?ça va`, `tu connais`, `qué (?:opinas|tal)`, `conoces`, `wer bist du`, `think aloud`, `just curious`)
	chat     = lexicon(`hi|hello|hey|hallo|bonjour|bonsoir|hola|salut|moin|servus|good (?:morning|evening|night|day)|guten? (?:morgen|tag|abend|nacht)|buen[oa]s (?:días|tardes|noches)`, `thank\pL*|thx|ty|merci|danke\pL*|gracias|cheers`, `lol|haha\pL*|wow`, `great job|well done|good job|nice (?:one|work)|love(?:ly| it| this)|perfect|awesome|amazing|brilliant|genial|parfait|super|toll|prima|wunderbar|klasse|perfecto`, `makes sense|sounds good|got it|i see|alles klar|ça marche|no worries|d'accord|de acuerdo`, `never mind|my mistake|all good|(?:sounds|looks|seems) (?:right|good|fine|great)`, `sorry|excuse|entschuldig\pL*|pardon|désolée?|perdón`, `bye|see you|talk later|tschüss|à demain|hasta luego|ciao|adiós|bis (?:morgen|später|dann)`, `i think|i'm (?:a bit|so|sad|happy|tired)|i (?:laughed|cried|love)|i feel`, `my \pL+ (?:hated|loved|liked)`, `got an a`, `me encanta`, `coffee|lunch|weekend`)
	onlyChat = regexp.MustCompile(`(?i)^(?:\b(?:ok|okay|yes|yep|yeah|sure|no|nope|ja|nein|oui|non|vale|cool|nice|great|fine|right|exactly|agreed|good|very|so|much|a lot|beaucoup|schön|muchas|there|agent|to me|for me)\b|sí|[\s,.!?…:;()'\pS\x{FE0F}\x{200D}-])+$`)
)
