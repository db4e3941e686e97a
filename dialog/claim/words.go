package claim

import (
	"strings"
	"sync"
)

// tag is what a word of a final text may do in a claim.
type tag byte

const (
	plain    tag = iota
	filler       // the, new, also, file: what stands between a verb and its object
	now          // now, jetzt
	subject      // I, we
	has          // ai, habe, he: has its subject with it
	was          // was, wurde: a passive that tells an event
	is           // is, est: one that may tell a state
	edits        // changed, updated: what it governs was changed
	adds         // added, moved: so was what stands behind "to"
	removes      // removed: so was what stands behind "from"
	places       // replaced: only what stands behind "in" was
	in           // in, into
	to           // to
	from         // from
	part         // line, end: of a file
	and          // and
	by           // by, for
	with         // with
	planned      // next, steps
	listed       // described, found: "in" belongs to it
	linkish      // link, import: "in" and "to" may say where it leads
	tested       // test, error: what is mended elsewhere
	contains     // contains
	negates      // not, will, could, please
	ends         // which, because: another thought
	begins       // but, so: another clause
	given        // if, when: what follows holds only then
	unsaid       // earlier, had: nothing in the sentence is a claim
	server       // server, preview
	site         // site, app, it: one on this machine where its address stands there
	kind         // dev, local: of server
	starts       // started
	ready        // running, ready
	at           // on, at, under
	commits      // committed
	pushes       // pushed
	work         // changes, everything
	git          // git, main, origin, commit
	produces     // made
	file         // a name of a file
	address      // on this machine
	sha
	stop // the end of a clause
)

// wordsOf are the words of the five languages that the check reads: English, German,
// French, Spanish, Italian. "é+" stands for é, ée, és, ées, and "~" for o, a, i, e, os, as.
var wordsOf = []struct {
	tag  tag
	text string
}{
	{filler, `the a an this that's its your my our their both all each new old same existing whole entire file files page script also then finally have ve successfully accordingly too locally back automatically
		der die das den dem ein eine einen einem datei dateien neue neuen neuer neues alte alten auch dann nur außerdem zusätzlich dafür dabei entsprechend hiermit selbst
		le la les l un une des ce cette fichier fichiers nouveau nouvelle aussi ensuite enfin également bien
		el los las una unos archivo fichero archivos ficheros nuevo nueva también luego además
		il lo gli uno il_file nuovo nuova anche poi inoltre haben done fertig erledigt ok c sections of de del delle dei della degli di du one two three both`},
	{now, `now jetzt nun maintenant désormais ahora adesso ora again wieder ya just`},
	{subject, `i we ich wir j je nous`},
	{has, `he habe ai avons hemos ho abbiamo`},
	{was, `been was were wurde wurden ist sind été fue fueron sido está están stato stata stati`},
	{is, `is are s est sont è sono got`},
	{edits, `changed updated edited rewrote rewritten modified fixed corrected adjusted revised refactored reworked restructured reformatted formatted patched created renamed shortened polished tightened simplified extended translated cleaned overwrote generated fleshed drafted bumped converted trimmed deduplicated
		geändert angepasst überarbeitet umgeschrieben erstellt angelegt korrigiert ergänzt umbenannt aktualisiert gekürzt behoben bereinigt vereinfacht übersetzt
		modifié+ corrigé+ créé+ réécrit renommé+ adapté+ changé+ traduit  raccourci simplifié+ jour
		cambiado cambié corregido corregí actualizad~ actualicé creado creada creados creé modificado modificada modifiqué reescrito reescribí traducido renombrado
		modificat~ corrett~ aggiornat~ creat~ riscritt~ rinominat~ tradott~ sistemat~`},
	{adds, `added moved saved wrote written geschrieben gespeichert enregistré+ écrit guardado guardé escrito escribí scritt~ salvat~ appended hinzugefügt eingefügt eingebaut verschoben ajouté+ déplacé+ ajout añadido añadida añadí agregado agregué movido moví aggiunt~ spostat~ inserit~ inserted`},
	{removes, `removed deleted dropped stripped gelöscht entfernt gestrichen supprimé+ retiré+ enlevé+ eliminado eliminada eliminé borrado borré quitado rimoss~ eliminat~ cancellat~`},
	{places, `replaced implemented swapped introduced put ersetzt umgesetzt remplacé+ mis reemplazado reemplacé implementado implementé sostituit~ messo implementato resolved tweaked set`},
	{in, `in into inside within im dans en nel nella nello`},
	{to, `to zu à al onto`},
	{from, `from aus da`},
	{part, `line lines top bottom end start beginning head middle paragraph section heading title zeile ende anfang absatz ligne fin début paragraphe línea párrafo principio riga fine inizio paragrafo`},
	{and, `and & und et y e + sowie plus`},
	{with, `with mit avec con`},
	{by, `by von par por for using via für pour para per`},
	{planned, `next steps todo plan proposal suggestion suggestions recommended remaining nächste nächsten schritte offen vorschlag étapes prochaines suite pasos próximos siguientes passi prossimi`},
	{listed, `described listed mentioned found shown seen defined documented outlined reported said given used declared named as noted specified suggested proposed stored kept linked gefunden genannt décrit+ mentionné+ trouvé+ indiqué+ cité+ prévu+ descrit~ mencionad~ indicad~ citad~ definid~ descritt~ indicat~ elencat~ citat~ definit~`},
	{linkish, `link links reference references import imports route redirect pointer path href url mention dependency verweis lien enlace collegamento riferimento script_tag entry verweise call calls`},
	{tested, `test tests error errors warning warnings failure failures failing issue`},
	{contains, `has ha han hat contains includes enthält contient contiene tiene`},
	{negates, `not never nothing nobody cannot can't without neither nor no none failed fails unable tried try attempted wanted wished hoped planned meant almost nearly t could would should can will shall may might must going want need needs let ll d i'll please until rather instead refused rejected denied except 
		nicht nichts nie niemals kein keine keinen keiner keines ohne könnte könnten würde würden sollte sollten kann können werde werden wird bitte soll sollen fehlgeschlagen versucht außer statt wollte
		ne n pas jamais rien aucun aucune pourrais pourrait devrais devrait peux peut vais va sans aurais voulais sauf essayé
		nunca nada ningún ninguna podría podrías debería puedo puede voy todavía tampoco sin intenté intentado salvo
		non mai niente nessun nessuna potrei potrebbe dovrei dovrebbe posso può senza tranne provato`},
	{ends, `that which who whose where what how whether because as after since before while than though although until
		dass weil wo worin worauf wie nachdem bevor damit obwohl seit
		que qui dont où comme après avant depuis parce lorsqu
		donde porque como después antes desde
		che dove dopo prima perché come cui`},
	{begins, `but so however yet aber sondern jedoch mais donc pero sino ma però quindi`},
	{given, `if when once whenever unless suppose assuming wenn falls sobald si quand lorsque cuando se appena quando`},
	{unsaid, `had earlier previously previous yesterday ago originally formerly last historically already history according apparently yesterday's monday tuesday wednesday thursday friday saturday sunday claimed claims wrongly mistakenly hypothetically example option alternatively you'd
		hätte hatte hatten gestern vorhin zuvor bereits früher damals letzte letzten letzter letztes laut montag dienstag mittwoch donnerstag freitag verlauf vermutlich
		dès avait avais hier précédent précédente précédemment dernier dernière déjà selon d'après historique
		había ayer anterior anteriormente pasada pasado según historial último última
		aveva avevo ieri precedente precedentemente scorso scorsa già secondo cronologia ultimo ultima`},
	{server, `server preview vorschau serveur aperçu servidor anteprima`},
	{site, `site website app application game api it backend frontend blog shop seite spiel er sie sitio página sito gioco jeu`},
	{kind, `dev development local web http node vite static`},
	{starts, `started restarted launched gestartet neugestartet lancé démarré relancé redémarré arrancado iniciado reiniciado arranqué inicié avviato riavviato`},
	{ready, `running ready up live online listening reachable available serving läuft bereit erreichbar prêt prête disponible tourne lancée démarrée corriendo funcionando listo lista activo marcha línea ligne pronto pronta attivo attiva esecuzione avviata`},
	{at, `on at under auf unter sur bajo sulla su sotto`},
	{commits, `committed committet commitet eingecheckt commité commitée committé commiteado commiteados committato committate`},
	{pushes, `pushed gepusht poussé pushé subido pushato`},
	{work, `changes change work everything edits alles änderungen änderung tout changements modifications cambios todo modifiche tutto`},
	{git, `git branch main master origin remote repo repository github gitlab commit`},
	{produces, `made fait hecho hice fatto gemacht erzeugt`},
}

const longestWord = 20 // in bytes

// key is a word's place in tags: FNV-1a of it in lower case, as far as Latin letters go.
func key(word string) uint64 {
	h, before := uint64(14695981039346656037), byte(0)
	for i := range len(word) {
		c := word[i]
		if c >= 'A' && c <= 'Z' || before == 0xc3 && c <= 0x9e {
			c += 0x20
		}
		h, before = (h^uint64(c))*1099511628211, c
	}
	return h
}

// tags returns the table of the words. The first place of a word counts.
var tags = sync.OnceValue(func() map[uint64]tag {
	m := map[uint64]tag{}
	for _, words := range wordsOf {
		for _, w := range strings.Fields(words.text) {
			stem, ends := w, []string{""}
			if s, ok := strings.CutSuffix(w, "+"); ok && s != "" {
				stem, ends = s, []string{"", "e", "s", "es"}
			} else if s, ok := strings.CutSuffix(w, "~"); ok {
				stem, ends = s, []string{"o", "a", "i", "e", "os", "as"}
			}
			for _, end := range ends {
				if m[key(stem+end)] == plain {
					m[key(stem+end)] = words.tag
				}
			}
		}
	}
	return m
})
