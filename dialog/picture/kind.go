package picture

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"unicode/utf8"
)

// The media types of files that are taken.
const (
	PNG  = "image/png"
	JPEG = "image/jpeg"
	GIF  = "image/gif"
	WebP = "image/webp"
	SVG  = "image/svg+xml"
	PDF  = "application/pdf"
	Text = "text/plain"
)

// Kind returns the media type of a file by its bytes, "" if it is none of those above. Of a
// picture the beginning is read, with its width and height: what is cut off behind that is
// found when it is decoded. Text is UTF-8 without control characters.
func Kind(b []byte) string {
	if typ, _, ok := header(b); ok {
		return typ
	}
	switch {
	case bytes.HasPrefix(b, []byte("%PDF-")):
		return PDF
	case !isText(b):
		return ""
	case isSVG(b):
		return SVG
	}
	return Text
}

// Taken reports whether a file with the bytes b is taken into files/.
func Taken(b []byte) bool { return len(b) > 0 && Kind(b) != "" }

// Still reports whether a media type is that of a picture made of pixels, which models are
// sent.
func Still(typ string) bool { return typ == PNG || typ == JPEG || typ == GIF || typ == WebP }

// header reads the beginning of a picture made of pixels.
func header(b []byte) (typ string, size image.Point, ok bool) {
	if size, ok := webpSize(b); ok {
		return WebP, size, true
	}
	for _, f := range []struct {
		typ, magic string
		config     func([]byte) (image.Config, error)
	}{
		{PNG, "\x89PNG\r\n\x1a\n", func(b []byte) (image.Config, error) { return png.DecodeConfig(bytes.NewReader(b)) }},
		{JPEG, "\xff\xd8\xff", func(b []byte) (image.Config, error) { return jpeg.DecodeConfig(bytes.NewReader(b)) }},
		{GIF, "GIF8", func(b []byte) (image.Config, error) { return gif.DecodeConfig(bytes.NewReader(b)) }},
	} {
		if !bytes.HasPrefix(b, []byte(f.magic)) {
			continue
		}
		c, err := f.config(b)
		if f.typ == GIF && err == nil && !gifGoesOn(b) {
			continue
		}
		if err == nil && c.Width > 0 && c.Height > 0 {
			return f.typ, image.Pt(c.Width, c.Height), true
		}
	}
	return "", image.Point{}, false
}

// gifGoesOn reports whether an image or an extension follows the head of a GIF: the head alone
// may be the beginning of a script.
func gifGoesOn(b []byte) bool {
	at := gifHead + colourTable(b[gifHead-3])
	return at < len(b) && (b[at] == gifExtension || b[at] == gifImage)
}

// Of a GIF: the bytes of its head, and those by which its blocks begin.
// Source: GIF89a Specification, sections 17 to 23.
const (
	gifHead      = 13
	gifExtension = 0x21
	gifImage     = 0x2c
)

// colourTable returns the size of a table of colours, by the flags of the block before it.
func colourTable(flags byte) int { return 3 << (flags&7 + 1) * int(flags>>7) }

// webpSize returns the size of a WebP picture, by the first of its chunks.
// Source: "WebP Container Specification" and RFC 9649, sections 2.5 to 2.7.
func webpSize(b []byte) (size image.Point, ok bool) {
	if len(b) < 30 || string(b[:4]) != "RIFF" || string(b[8:12]) != "WEBP" {
		return size, false
	}
	data := b[20:]
	switch string(b[12:16]) {
	case "VP8 ":
		if string(data[3:6]) != "\x9d\x01\x2a" {
			return size, false
		}
		size = image.Pt(int(binary.LittleEndian.Uint16(data[6:])&0x3fff), int(binary.LittleEndian.Uint16(data[8:])&0x3fff))
	case "VP8L":
		if data[0] != 0x2f {
			return size, false
		}
		bits := binary.LittleEndian.Uint32(data[1:])
		size = image.Pt(int(bits&0x3fff)+1, int(bits>>14&0x3fff)+1)
	case "VP8X":
		three := func(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
		size = image.Pt(three(data[4:])+1, three(data[7:])+1)
	}
	return size, size.X > 0 && size.Y > 0
}

// isText reports whether b is UTF-8 without control characters that no text has.
func isText(b []byte) bool {
	return utf8.Valid(b) && !bytes.ContainsFunc(b, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f' && r != '\x1b' || r == 0x7f
	})
}

// svgNames is the name space without which no program shows an svg.
const svgNames = "http://www.w3.org/2000/svg"

// isSVG reports whether the first element of a text is that of an svg.
func isSVG(text []byte) bool {
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	for {
		t, err := d.Token()
		if err != nil {
			return false
		}
		switch t := t.(type) {
		case xml.StartElement:
			return t.Name.Local == "svg" && t.Name.Space == svgNames
		case xml.CharData:
			if len(bytes.TrimSpace(t)) > 0 {
				return false
			}
		}
	}
}
