package tools

import (
	"encoding/json"
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"

	"vibey/dialog/history"
	"vibey/dialog/jsontext"
	"vibey/tools/mcp"
)

// The bounds of what is kept of an MCP server's answer.
const (
	servedMost  = 1<<20 - 32<<10 // bytes of its content and structured, as JSON
	rawMost     = 2 * servedMost // bytes of structured as they came, which may be written shorter
	itemsMost   = 200            // pieces of content
	filesMost   = 20             // files
	changedMost = 200 << 10      // bytes of what changed, as JSON
	wordMost    = 500            // characters of an address, a name or a description
)

// servedBody is the body of the result of an MCP server's tool.
type servedBody struct {
	Success    bool            `json:"success"`
	Error      string          `json:"error,omitempty"`
	Content    []servedItem    `json:"content"`
	Structured history.RawJSON `json:"structured,omitempty"`
	Changed    *changes        `json:"changed,omitempty"` // in the deed, while a server on this machine worked; nil for nothing
	More       int             `json:"changedMore,omitempty"`
	Note       string          `json:"note,omitempty"`
}

// change tells what changed in the deed during the call, and returns its bytes. Files
// beyond changedMost bytes are only counted.
func (b *servedBody) change(c changes, mask func(string) string) (size int) {
	if len(c.files) == 0 && !c.unknown {
		return 0
	}
	c.mask(mask)
	for i, f := range c.files {
		const around = 250 // the hashes, and the names of its members
		if n := around + encodedLen(f.Path) + encodedLen(f.Link); size+n > changedMost {
			c.more += len(c.files) - i
			c.files = c.files[:i]
			break
		} else {
			size += n
		}
	}
	b.Changed, b.More = &c, c.more
	return size
}

// servedItem is one piece of content. File is the path of its bytes, as a command says it.
type servedItem struct {
	Type        string `json:"type"`
	Text        string `json:"text,omitempty"`
	URI         string `json:"uri,omitempty"`
	Name        string `json:"name,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	MIMEType    string `json:"mimeType,omitempty"`
	File        string `json:"file,omitempty"`
	Bytes       int    `json:"bytes,omitempty"`
}

// replied is the result of a call that its server answered. Secrets are masked before
// anything is cut, so that no part of one stays.
func replied(env Env, spec history.ToolSpec, reply *mcp.Reply, changed changes) Result {
	k := keeper{home: env.Home, mask: env.masker(), left: servedMost}
	body := &servedBody{Success: !reply.IsError, Content: []servedItem{}}
	k.left -= body.change(changed, k.mask)
	for i := range reply.Content {
		if item, ok := k.item(&reply.Content[i]); ok {
			body.Content = append(body.Content, item)
		}
	}
	if k.dropped > 0 {
		k.say("%d more pieces of content are left out", k.dropped)
	}
	if body.Structured = k.structured(reply.Structured); reply.IsError {
		body.Error = fmt.Sprintf("the MCP server %q says that the tool failed", spec.Server)
		if said := texts(body.Content); said != "" {
			body.Error += ": " + clip(said, 2000)
		}
	}
	body.Note = strings.Join(append(k.notes, reply.Left...), " ")
	return Result{Success: body.Success, body: body}.sealed()
}

// texts are the texts of content, a line each.
func texts(content []servedItem) string {
	var out []string
	for _, item := range content {
		if item.Type == "text" {
			out = append(out, item.Text)
		}
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// keeper makes a result of an answer, within bounds.
type keeper struct {
	home    string
	mask    func(string) string
	left    int // bytes that may still be told
	items   int
	files   int
	dropped int
	notes   []string
}

func (k *keeper) say(format string, a ...any) {
	k.notes = append(k.notes, fmt.Sprintf(format, a...)+".")
}

func (k *keeper) word(s string) string { return clip(k.mask(plainText(s)), wordMost) }

// item makes one piece of content; ok is false where there is no room for it.
func (k *keeper) item(c *mcp.Content) (item servedItem, ok bool) {
	item = servedItem{
		Type: k.word(c.Type), URI: k.word(c.URI), Name: k.word(c.Name), Title: k.word(c.Title), Description: k.word(c.Description), MIMEType: k.word(c.MIMEType),
	}
	const around = 200 // the names of its members
	head := around
	for _, s := range []string{item.Type, item.URI, item.Name, item.Title, item.Description, item.MIMEType} {
		head += encodedLen(s)
	}
	k.items++
	if k.left -= head; k.left < 0 || k.dropped > 0 || k.items > itemsMost {
		k.dropped++
		return item, false
	}
	if c.Data != nil {
		item.File, item.Bytes = k.file(c), len(c.Data)
	}
	item.Text = clipEncoded(k.mask(plainText(c.Text)), k.left)
	k.left -= encodedLen(item.Text)
	return item, true
}

// plainText is text of a server's as a result can hold it.
func plainText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// file keeps the bytes of an image, a sound or a resource, and returns their path. They
// have a folder of their own, so that they push out no picture of the browser's.
func (k *keeper) file(c *mcp.Content) string {
	switch k.files++; {
	case len(c.Data) > pictureSize:
		k.say("A file of %d bytes was not kept: %d MiB is the most", len(c.Data), pictureSize>>20)
		return ""
	case k.files > filesMost:
		k.say("A file of %d bytes was not kept: %d of one result is the most", len(c.Data), filesMost)
		return ""
	}
	path, err := keepFile(k.home, "mcp", c.Data, extensionOf(c.MIMEType))
	if err != nil {
		k.say("A file of %d bytes could not be kept in the project's HOME", len(c.Data))
		return ""
	}
	return path
}

// extensions are the endings of files by their types. Others are .bin.
var extensions = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/svg+xml": ".svg",
	"audio/wav": ".wav", "audio/x-wav": ".wav", "audio/mpeg": ".mp3", "audio/ogg": ".ogg", "audio/flac": ".flac",
	"application/pdf": ".pdf", "application/json": ".json", "application/zip": ".zip", "application/gzip": ".gz", "text/plain": ".txt", "text/csv": ".csv",
}

func extensionOf(kind string) string {
	plain, _, _ := mime.ParseMediaType(kind)
	if ext := extensions[plain]; ext != "" {
		return ext
	}
	return ".bin"
}

// structured is what a server answered as JSON, masked, where there is room for it.
func (k *keeper) structured(raw history.RawJSON) history.RawJSON {
	switch {
	case raw == "":
		return ""
	case len(raw) > rawMost:
		k.say("structured is left out: it has %d bytes, and a result may have 1 MiB in all", len(raw))
		return ""
	}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return ""
	}
	b, err := jsontext.Marshal(masked(v, func(s string) string { return k.mask(plainText(s)) }))
	switch {
	case err != nil:
		return ""
	case len(b) > k.left:
		k.say("structured is left out: it has %d bytes, and a result may have 1 MiB in all", len(b))
		return ""
	}
	return history.RawJSON(b)
}

// masked is a JSON value with all of its strings masked, names too.
func masked(v any, mask func(string) string) any {
	switch v := v.(type) {
	case string:
		return mask(v)
	case []any:
		for i := range v {
			v[i] = masked(v[i], mask)
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, value := range v {
			out[mask(name)] = masked(value, mask)
		}
		return out
	}
	return v
}

// encodedLen is how many bytes a string has in JSON, at most.
func encodedLen(s string) (n int) {
	for _, r := range s {
		n += encodedRune(r)
	}
	return n
}

func encodedRune(r rune) int {
	switch {
	case r == '"' || r == '\\' || r == '\n' || r == '\r' || r == '\t':
		return 2
	case r < 0x20 || r == '\u2028' || r == '\u2029' || r == 0x7f:
		return 6
	}
	return utf8.RuneLen(r)
}

// clipEncoded returns s, or its head and tail with the number of bytes between them, so
// that it has no more than most bytes in JSON.
func clipEncoded(s string, most int) string {
	if len(s) <= most && encodedLen(s) <= most {
		return s
	}
	const mark = 60 // what stands between
	half := max(most-mark, 0) / 2
	head, tail, n := 0, len(s), 0
	for i, r := range s {
		if n += encodedRune(r); n > half {
			break
		}
		head = i + utf8.RuneLen(r)
	}
	for n = 0; tail > head; {
		r, size := utf8.DecodeLastRuneInString(s[:tail])
		if n += encodedRune(r); n > half {
			break
		}
		tail -= size
	}
	return fmt.Sprintf("%s\n[… %d bytes dropped here …]\n%s", s[:head], tail-head, s[tail:])
}
