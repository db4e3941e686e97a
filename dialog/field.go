package dialog

import "strings"

// readField reads the line "> Key: value" at that place; next is the start of
// the line behind it. ok is false where another line stands there.
func readField(src string, at int) (f Field, next int, ok bool) {
	if !strings.HasPrefix(src[at:], "> ") {
		return Field{}, at, false
	}
	key := at + len("> ")
	colon := key
	for colon < len(src) && isKeyByte[src[colon]] {
		colon++
	}
	n := colon - key
	if n == 0 || n > 32 || colon == len(src) || src[colon] != ':' || src[key] < 'A' || src[key] > 'Z' {
		return Field{}, at, false
	}
	end := lineEnd(src, colon)
	return Field{src[key:colon], trimBlank(src[colon+1 : end])}, min(end+1, len(src)), true
}

// isKeyByte tells a metadata key from the beginning of a quotation: a capital,
// then letters, digits, blanks and hyphens, 32 bytes at most.
var isKeyByte = func() (is [256]bool) {
	for c := range is {
		is[c] = c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == ' ' || c == '-'
	}
	return is
}()

// trimBlank is strings.TrimSpace with a short way for one blank in front.
func trimBlank(v string) string {
	if len(v) > 1 && v[0] == ' ' {
		v = v[1:]
		if a, z := v[0], v[len(v)-1]; a > ' ' && a < 0x80 && z > ' ' && z < 0x80 {
			return v
		}
	}
	return strings.TrimSpace(v)
}

// meta reads the metadata lines below a heading.
func (p *parser) meta(s *Section) {
	first := len(p.fields)
	for p.at < len(p.src) {
		f, next, ok := readField(p.src, p.at)
		if !ok || p.zero(p.at, next) {
			break
		}
		switch {
		case f.Key == "Id" && s.ID == "":
			s.ID = f.Value
		case f.Key == "Time" && s.Time == "":
			s.Time = f.Value
			s.lead = uint8(min(len(p.fields)-first, 255))
		case f.Key == "Resources" && s.noResources:
			if s.Resources, ok = parseResources(f.Value); !ok {
				p.problem(p.at, "field", "this Resources line has another form than in=<n> out=<n> total=<n> tools=<n> ms=<n>")
			}
			s.noResources = false
		default:
			if len(p.fields) == cap(p.fields) {
				own := p.fields[first:]
				p.fields = append(make([]Field, 0, min(slab, 32+2*cap(p.fields))+2*len(own)), own...)
				first = 0
			}
			p.fields = append(p.fields, f)
		}
		p.at = next
	}
	s.Meta = Fields(p.fields[first:len(p.fields):len(p.fields)])
}

const noCost = "in=0 out=0 total=0 tools=0 ms=0"

// parseResources reads "in=1 out=2 …"; what is missing is 0. ok is false where
// something else stands there too.
func parseResources(v string) (r Resources, ok bool) {
	if v == noCost {
		return r, true
	}
	ok = true
	for v != "" {
		end := strings.IndexByte(v, ' ')
		if end < 0 {
			end = len(v)
		}
		part := v[:end]
		v = v[min(end+1, len(v)):]
		eq := max(strings.IndexByte(part, '='), 0)
		to, n := r.field(part[:eq]), digits(part[eq:])
		if to == nil || n < 0 {
			ok = false
			continue
		}
		*to = n
	}
	return r, ok
}

// digits reads "=" and a number of 18 digits at most, or returns -1.
func digits(s string) (n int64) {
	if len(s) < 2 || len(s) > 19 {
		return -1
	}
	for i := 1; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return -1
		}
		n = n*10 + int64(s[i]-'0')
	}
	return n
}

func (r *Resources) field(key string) *int64 {
	switch key {
	case "in":
		return &r.In
	case "out":
		return &r.Out
	case "total":
		return &r.Total
	case "tools":
		return &r.Tools
	case "ms":
		return &r.MS
	case "cached":
		return &r.Cached
	case "written":
		return &r.Written
	case "reasoning":
		return &r.Reasoning
	}
	return nil
}
