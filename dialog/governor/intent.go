package governor

import (
	"regexp"
	"strings"
)

// Classify returns the intent of a prompt, one of dialog.Intents, or "" where its
// words tell none. It looks for signs in English, German, French and Spanish, those
// of the larger work first: a budget that is too small costs a human a Continue, one
// that is too large costs only what an agent wastes.
func Classify(prompt string) string {
	text := strings.Join(strings.Fields(prompt), " ")
	text = strings.NewReplacer("’", "'", "‘", "'").Replace(text)
	for _, r := range intentSigns {
		if r.sign.MatchString(text) && (r.unless == nil || !r.unless.MatchString(text)) {
			return r.intent
		}
	}
	return ""
}

type intentSign struct {
	intent       string
	sign, unless *regexp.Regexp
}

// signs matches a prompt with one of the alternatives as whole words.
func signs(alternatives ...string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)` + words(alternatives...))
}

// begins matches a prompt that begins with one of the alternatives, after politeness.
func begins(alternatives ...string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:(?:hey|hi|hello|ok|okay|so|and|now|please|pls|also|hallo|bitte|bonjour|hola|por favor|s'il te plaît|kannst du|könntest du|can you|could you|would you|will you|can we|could we|let's|i want you to|i need you to|i'd like you to|peux-tu|pourrais-tu|puedes|podrías)[,!]? +)*(?:` + strings.Join(alternatives, "|") + `)(?:$|[^\pL\d_])`)
}

const (
	wholes   = `(?:whole|entire|complete|full|every|all(?: of)?(?: the)?)`
	works    = `(?:app\w*|application|book|novel|site|website|shop|store|thing|codebase|code base|project|product|game|clone|plan|rest|compiler|collection|series|manuscript|chapters|issues|tasks|spec|stack|system|platform|memoir|documentary)`
	parts    = `(?:page|pages|chapter|scene|section|feature|endpoint|form|search|login|sign-?in|sign-?up|newsletter|gallery|subplot|appendix|glossary|leaderboard|dashboard|command|api|component|module|plugin|index|article|essay|story|poem|review|guide|timeline|map|calendar|comments?|test suite|tests|migration|integration|export|import|sidebar|editor|menu|chart|widget|quiz|epilogue|prologue|foreword|bibliography|seite|kapitel|szene|suche|formular|kalender|galerie|anhang|glossar|artikel|page d\w+|chapitre|scène|galería|página|capítulo|escena|buscador|formulario|formulaire|recherche|galerie)`
	newWords = `(?:add|build|create|write|draft|implement|make|compose|design|set up|introduce|develop|generate|produce|port|refactor|rewrite|turn|bau\w*|schreib\w*|erstell\w*|entwirf|entwickle|füge|ajoute|crée|écris|construis|rédige|développe|crea|escribe|añade|agrega|construye|redacta)`
	touches  = `(?:change|fix|replace|swap|rename|bump|remove|delete|drop|shorten|set|correct|turn|make|move|use|update|adjust|tweak|align|indent|increase|decrease|reduce|raise|lower|capitali[sz]e|uppercase|lowercase|cut|trim|put|switch|undo|revert|insert|add an?|add the|hide|show the|center|mach\w*|änder\w*|korrigier\w*|ersetz\w*|entfern\w*|lösch\w*|tausch\w*|setz\w*|kürz\w*|streich\w*|verschieb\w*|benenn\w*|remplace|change|corrige|enlève|supprime|mets|déplace|renomme|raccourcis|cambia|corrige|quita|reemplaza|elimina|borra|pon|acorta|renombra|mueve)`
)

// intentSigns are held against a prompt one after another; the first that fits
// decides.
var intentSigns = []intentSign{
	// Asked to keep its hands off, an agent looks, or talks.
	{"conversational", signs(`(?:don't|no need to|without) (?:change|touch|touching|do|doing) (?:a thing|anything|any of it)`, `don't want you to do`, `just (?:curious|wondering|want to think|thinking aloud)`), signs(`why`, `where`, `find out`, `investigate`, `check`)},
	{"feature_build", signs(`(?:would|'d) be (?:lovely|nice|great|good|cool|useful) if [^.]*`), nil},
	{"diagnose", signs(`don't (?:fix|change|touch) (?:anything|it|that)(?: yet)?`, `no changes`, `report back`), nil},

	{"status_check", begins(`list`, `show(?: me)?`, `print`, `how (?:many|much|long|far)`, `which`, `count`), signs(`until`, `from scratch`)},
	{"autonomous", signs(
		`from scratch`, `start to finish`, `beginning to end`, `from a to z`, `end to end`, `one-?shot`, `(?:don't|do not|never) (?:stop|ask)`, `without (?:stopping|asking|waiting)`, `until (?:every|all|everything|it's|it is|done|none|nothing|finished|the end|you)[^.]*`, `till (?:it's|done|everything)[^.]*`,
		`(?:by yourself|on your own|all alone|unattended|autonomously|free rein|free hand|carte blanche|i trust you)`, `keep going`, `(?:i'll|i will|i'm|i am) (?:be )?(?:offline|away|asleep|going to bed|out)[^.]*`, `as many agents`, `however long it takes`, `work through`, `whatever (?:is missing|breaks|it takes)`, `decide yourself`, `surprise me`,
		wholes+` (?:\pL+ ){0,2}`+works, `all \d+ \pL*`, `the other (?:\d+|\w+teen|\w+ty|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)`, `implement (?:all|everything)[^.]*`, `(?:build|make|do|create|finish|write|fix|ship|handle|translate|convert) (?:\pL+ )*everything`, `[,:] everything`, `whole thing`,
		`von (?:grund auf|null|vorn|a bis z)`, `ohne (?:zu fragen|rückfragen|nachzufragen|anzuhalten)`, `bis (?:alles|es fertig|zum ende|alle)[^.]*`, `selbst(?:st)?ändig`, `(?:das )?(?:ganze|komplette|gesamte)s? (?:buch|app|anwendung|seite|website|projekt|spiel|roman)`, `freie hand`, `mach (?:einfach )?weiter`,
		`de a à z`, `de zéro`, `jusqu'(?:à la fin|au bout)`, `sans t'arrêter`, `sans (?:me )?demander`, `tout(?:e)? (?:le site|l'application|le livre|l'appli|le roman)`, `continue(?:z)? tout seul`,
		`desde cero`, `de principio a fin`, `hasta (?:terminar|el final|acabar|que)[^.]*`, `tú sol[oa]`, `sin (?:parar|preguntar)`, `tod[oa] (?:la aplicación|el libro|la app|el sitio|la novela)`), nil},
	{"autonomous", begins(`(?:continue|go on|carry on|keep going|weiter|mach weiter|continúa|sigue)`), signs(`why`, `warum`, `pourquoi`)},

	// What broke, as a machine or a human says it.
	{"diagnose", regexp.MustCompile(`(?i)^\W*(?:\w*error\b|\w*exception\b|fatal|traceback|panic|warning|segfault|npm err|uncaught|unhandled|cannot |can't find|failed to )`), nil},
	{"status_check", signs(`did (?:the |all )?(?:tests?|build|deploy\w*|ci)[^.]*(?:pass|work|succeed|run|finish)\w*`, `is (?:the|my|our|it|that|this|anything|anyone|there) [^.?]*(?:still|up|running|finished|done|ready|there|open|waiting|left)[^.?]*`, `still (?:up|running|there|waiting)`, `(?:läuft|steht|existiert|gibt es) [^.?]*noch[^.?]*`, `where are we(?: with)?`, `où en (?:est|sommes)[^.?]*`, `wie weit (?:sind|bist)[^.?]*`, `wo stehen wir`, `cómo va[^.?]*`, `en qué (?:punto|estado)[^.?]*`), signs(`why`, `warum`, `pourquoi`, `how come`)},
	{"diagnose", signs(
		`why(?: is| are| does| do| did| was)?`, `how come`, `what(?:'s| is| went) (?:wrong|going on|happening|broken|off)`, `any ideas?`, `figure out`, `find out`, `investigate`, `diagnose`, `debug`, `look into`, `track down`, `where (?:exactly )?(?:does|do|is) (?:it|the|this|that)[^.?]*(?:come from|lose|go wrong|break|fail|hang)[^.?]*`, `where does`, `root cause`, `do you have an explanation`, `explain why`, `reason (?:for|why)`,
		`(?:doesn't|doesnt|does not|won't|wont|isn't|didn't|don't) (?:work|load|start|open|compile|build|show|render|run|do anything|respond|save)\w*`, `does nothing`, `(?:crash|hang|freez|flicker|leak)\w*`, `already in use`, `(?:keeps?|started) (?:crashing|failing|\w+ing)`, `super slow`, `is broken`, `(?:goes|went|stays|is) (?:blank|white|missing)`,
		`warum`, `wieso`, `weshalb`, `woran liegt`, `was (?:ist|stimmt|läuft)[^.?]*(?:los|falsch|schief|nicht)`, `stimmt[^.?]*nicht`, `funktioniert[^.?]*nicht`, `geht[^.?]*nicht`, `klingt`, `finde heraus`,
		`pourquoi`, `ne (?:marche|fonctionne|s'affiche|charge)\w* (?:pas|plus)`, `qu'est-ce qui`, `d'où vient`, `trouve (?:pourquoi|d'où|ce qui)`, `por qué`, `no (?:funciona|carga|abre|arranca|aparece)`, `qué (?:pasa|falla|ocurre)`, `averigua`,
		`check if`, `feels? (?:clumsy|flat|off|wrong|slow|long)`), nil},

	{"status_check", begins(`status`, `show(?: me)?`, `list`, `print`, `read (?:me|out)`, `tell me (?:how|what|which|whether|if)`, `what(?:'s| is| are)? (?:running|in|the|on|still|left|port|files|decisions|changed|open|next|our|your plan)`, `whats`, `which`, `how (?:many|much|far|long|big)`, `when did`, `who (?:is|changed|wrote)`, `do(?:es)? (?:we|it|the|\S+\.\w+) [^.?]*(?:have|contain|exist|use|work)`, `are (?:we|there|any|the)`, `is (?:the|my|our|it|there)`, `has`, `have (?:we|you)`, `anything`, `git (?:status|log|diff)`,
		`zeig\w*`, `welche\w*`, `wie (?:viele?|lang|weit|groß|ist der stand)`, `was (?:läuft|steht|fehlt|gibt)`, `liste`, `läuft`, `ist (?:der|die|das)`, `gibt es`, `lies`, `sag mir`,
		`montre(?:-moi)?`, `liste`, `affiche`, `combien`, `quels?|quelles?`, `est-ce que`, `y a-t-il`, `lis(?:-moi)?`, `dime`, `muéstrame`, `muestra`, `cuánt[oa]s?`, `qué`, `lista`, `hay`, `está`),
		signs(`difference`, `closure`, `do you (?:prefer|like|think)`, `meaning of life`, `should (?:have|be|say)`)},

	{"feature_build", signs(
		newWords+` (?:\pL+ ){0,5}`+parts, `(?:add|build|create|implement|make|write|draft|crea|construye) (?:me )?(?:an?|the|some|una?|un|une|eine?n?) (?:\pL+ ){0,4}(?:`+parts+`|with|that|which|for|about|from)`, `(?:want|need|like|love|nice)(?: for)? (?:\pL+ ){0,3}(?:to be able|could|an?) [^.]*`, `(?:we|i) (?:need|want) (?:an? )?[^.]*(?:signup|page|form|login|feature|system|chapter|section)[^.]*`, `(?:can|could) (?:we|the \pL+ \pL+|visitors|users|people|readers) (?:have|get|see|switch|\pL+) (?:an? )?[^.]*`, `how about (?:an? )[^.]*`, `(?:refactor|rewrite|migrate|port|convert|translate|rework|restructure|split|redesign|überarbeite|übersetze|traduis|traduce|reescribe|réécris)`, `turn (?:the|this|my) [^.]* into`, `\d[\d.,]* (?:words|pages|wörter|seiten|mots|palabras)`, `rest endpoint`, `endpoint for`, `study guide`, `i'd like (?:an?|to have|some) [^.]*`, `wire up`, `support for`, `(?:drei|zwei|vier|fünf|\d) (?:bis \pL+ )?seiten`, `(?:eine?n? neue\w*|une? nouvel\w*|una? nuev\w+) [^.]*`, `kannst du [^.?]*(?:machen|bauen|schreiben|anlegen)`, `hätte gern`), signs(`comma`, `semicolon`, `typo`, `one sentence`, `one word`, `single quotes`, `title to`, `header (?:blue|red|green)`, `spelling`, `footnote`, `missing \pL+ at`, `log(?:ging)? (?:line|statement)`)},
	{"small_fix", begins(touches), nil},
	{"small_fix", signs(touches, `should (?:be|say|read)`, `not \d+`, `is wrong`, `wrong way`, `typo`, `spelling`, `misspelled`, `spelled`, `bitte [^.]*(?:ändern|korrigieren|ersetzen|löschen|entfernen|setzen|kürzen)`, `etwas (?:größer|kleiner|kürzer|heller|dunkler)`, `in bold`, `take care of`, `add`, `instead of`, `tippfehler`, `faute de frappe`, `errata`), signs(`thank\w*`, `thx`, `merci`, `danke`, `gracias`, `what do you think`)},
	{"feature_build", begins(newWords), nil},
	// The costly mistake is to take work for talk, since talk runs no tool: these must
	// be all that is said, or what it begins with.
	{"conversational", regexp.MustCompile(`(?i)^(?:` + chat + `|[\s,.!?…:;()'\pS\x{FE0F}\x{200D}-])+$`), nil},
	{"conversational", begins(`thank\w*`, `thx`, `merci`, `danke\w*`, `gracias`, `genial`, `that makes sense`, `¡?genial!?`, `(?:haha\w*|lol)`, `no worries`, `sounds good`,
		`what do you think`, `do you (?:prefer|like|think|believe)`, `who are you`, `what can you`, `how are you`, `was hältst du`, `wie geht`, `que penses-tu`, `qué opinas`, `wer bist du`, `what(?:'s| is) (?:the difference|a|an)`, `explain(?: to me)?`, `is \pL+ (?:\pL+ )?(?:harder|better|easier|faster)[^.]*`, `i think`, `my \pL+ (?:hated|loved|liked)[^.]*`, `ça marche`, `alles klar`), nil},
}

// chat are words of which a prompt is made that asks for nothing.
const chat = `\b(?:hi|hello|hey|there|hallo|bonjour|hola|salut|moin|servus|good|morning|evening|night|day|guten|tag|abend|thanks?|thank you|thx|ty|merci|danke|gracias|cheers|much|a lot|very|so|beaucoup|schön|muchas|ok|okay|yes|yep|yeah|sure|no|nope|ja|nein|oui|non|vale|cool|nice|great|perfect|awesome|lovely|parfait|super|toll|prima|wunderbar|klasse|lol|haha\w*|wow|nice one|got it|i see|sounds good|makes sense|to me|for me|bye|see you|later|tomorrow|tschüss|à demain|bis morgen|hasta luego|ciao|adiós|alles klar|d'accord|agent|vibey|well done|bravo|gut gemacht)\b|sí`
