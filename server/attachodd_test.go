package server

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"vibey/dialog"
	"vibey/dialog/picture"
	"vibey/server/project"
)

// oddNames are names as people, other systems and attackers give them; "" is what can't be one.
var oddNames = map[string]string{
	"a.png": "a.png", "A.PNG": "A.PNG", "no extension": "no extension", "  blanks  .png ": "blanks  .png", "tab\there.png": "tabhere.png",
	"../../../etc/passwd": "etc-passwd", `..\..\windows\win.ini`: "windows-win.ini", "/abs/path.png": "abs-path.png", "a/b/c.png": "a-b-c.png", "a//b": "a--b",
	".": "", "..": "", "...": "", "....png": "png", ".htaccess": "htaccess", ".git/config": "git-config", "-rf": "rf", "--help": "help", " ": "", "\u00a0": "", "\u3000": "", "/": "", `\`: "", "-": "", ". . .": "",
	"CON": "CON", "con.png": "con.png", "NUL.txt": "NUL.txt", "LPT1": "LPT1", "aux.": "aux", "trailing. . ": "trailing", "a:b.png": "a-b.png", "C:": "C", "a?b*c.png": "a-b-c.png", `q"u'o<t>e|.png`: "q-u'o-t-e-.png",
	"\u202egnp.exe": "gnp.exe", "a\u202eb\u202cc.png": "abc.png", "\u2066x\u2069.png": "x.png", "\u200fשלום.png": "שלום.png", "\u061cعربي.png": "عربي.png", "\ufeffbom.png": "bom.png", "soft\u00adhyphen.png": "softhyphen.png", "line\u2028sep.png": "linesep.png",
	"写真.png": "写真.png", "Ünïcödé.png": "Ünïcödé.png", "e\u0301.png": "e\u0301.png", "क्षि.png": "क्षि.png", "نمی\u200cدانم.png": "نمی\u200cدانم.png", "👩\u200d👩\u200d👧.png": "👩\u200d👩\u200d👧.png", "ไทย.png": "ไทย.png", "Ω≈ç√.png": "Ω≈ç√.png", "ſ.png": "ſ.png", "İ.png": "İ.png",
	"nul\x00byte.png": "nulbyte.png", "bell\x07.png": "bell.png", "esc\x1b[31m.png": "esc[31m.png", "del\x7f.png": "del.png", "c1\u0085.png": "c1.png", "new\nline.png": "newline.png", "\xff\xfe.png": "file.png", "half\xc3.png": "half.png",
	"%2e%2e%2fx.png": "%2e%2e%2fx.png", "100%.png": "100%.png", "#1.png": "#1.png", "a&b=c;d.png": "a&b=c;d.png", "a;b.png": "a;b.png", "$(id).png": "$(id).png", "`id`.png": "`id`.png", "[x](y).png": "[x](y).png", "![x](files/y).png": "![x](files-y).png", "əəə.png": "əəə.png",
	strings.Repeat("a", 100): strings.Repeat("a", 100), strings.Repeat("a", 101): strings.Repeat("a", 100), strings.Repeat("a", 4000) + ".jpeg": strings.Repeat("a", 95) + ".jpeg", strings.Repeat("字", 60) + ".png": strings.Repeat("字", 32) + ".png",
	"a." + strings.Repeat("b", 300): "a." + strings.Repeat("b", 98), strings.Repeat("x. ", 50) + "y": "", strings.Repeat("..", 100) + "z": "z", strings.Repeat("a", 95) + "   -.png": strings.Repeat("a", 95) + ".png", "doc-main.md": "doc-main.md", ".vibey-0123456789abcdef.tmp": "vibey-0123456789abcdef.tmp",
}

// oddFiles are bytes and the media type that they have, "" for those that are refused.
func oddFiles() map[string][2]string {
	u16 := func(order binary.AppendByteOrder, bom bool, s string) string {
		var b []byte
		if bom {
			b = order.AppendUint16(b, 0xfeff)
		}
		for _, u := range utf16.Encode([]rune(s)) {
			b = order.AppendUint16(b, u)
		}
		return string(b)
	}
	size := func(at int, w, h uint32) string { // of a PNG
		b := []byte(onePNG)
		binary.BigEndian.PutUint32(b[at:], w)
		binary.BigEndian.PutUint32(b[at+4:], h)
		return string(b)
	}
	svg := `<svg xmlns="http://www.w3.org/2000/svg">`
	return map[string][2]string{
		"png": {onePNG, "image/png"}, "png and a page": {onePNG + "<html><script>alert(1)</script>", "image/png"}, "png and a zip": {onePNG + "PK\x03\x04", "image/png"}, "png, its middle": {onePNG[8:], ""}, "png, 8 bytes": {onePNG[:8], ""}, "png, 30 bytes": {onePNG[:30], ""}, "png behind a blank": {" " + onePNG, ""}, "png, by a line feed": {"\n" + onePNG, ""},
		"png without size": {size(16, 0, 0), ""}, "png, by its size a bomb": {size(16, 1<<30, 1<<30), ""},
		"jpeg": {oneJPEG, "image/jpeg"}, "jpeg, 3 bytes": {"\xff\xd8\xff", ""}, "jpeg, half": {oneJPEG[:20], ""}, "jpeg and php": {oneJPEG + "<?php system($_GET[0]);", "image/jpeg"}, "jpeg in capitals": {"JFIF", "text/plain"},
		"gif": {oneGIF, "image/gif"}, "gif 87": {"GIF87a" + oneGIF[6:], "image/gif"}, "gif, 6 bytes": {"GIF89a", "text/plain"}, "gif and a script": {oneGIF + "/*<script>alert(1)</script>*/", "image/gif"}, "gif as a script": {"GIF89a=1;alert(1)//", "text/plain"}, "gif 90": {"GIF90a" + oneGIF[6:], ""},
		"webp": {oneWebP, "image/webp"}, "webp, 12 bytes": {oneWebP[:12], ""}, "wave": {"RIFF\x1a\x00\x00\x00WAVE" + oneWebP[12:], ""}, "webp of no chunk": {oneWebP[:12] + "XXXX" + oneWebP[16:], ""},
		"svg": {svg + "</svg>", "image/svg+xml"}, "svg with a script": {oneSVG, "image/svg+xml"}, "svg with a declaration": {`<?xml version="1.0"?><!-- x --><!DOCTYPE svg><s:svg xmlns:s="http://www.w3.org/2000/svg"/>`, "image/svg+xml"}, "svg with a mark": {"\ufeff" + svg + "</svg>", "image/svg+xml"}, "svg with an entity": {`<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>` + svg + "&e;</svg>", "image/svg+xml"}, "svg, never closed": {svg, "image/svg+xml"},
		"svg without a name space": {"<svg></svg>", "text/plain"}, "svg in a page": {"<html>" + svg + "</svg></html>", "text/plain"}, "svg behind words": {"words " + svg, "text/plain"}, "svg in UTF-16": {u16(binary.LittleEndian, true, svg), ""}, "svg, gzipped": {"\x1f\x8b\x08\x00" + svg, ""}, "svg of a billion laughs": {`<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>` + svg + `<text>&b;</text></svg>`, "image/svg+xml"},
		"pdf": {onePDF, "application/pdf"}, "pdf alone": {"%PDF-", "application/pdf"}, "pdf behind a line": {"\n%PDF-1.4", "text/plain"}, "pdf with a script": {onePDF + "/OpenAction << /S /JavaScript >>", "application/pdf"}, "pdf in small letters": {"%pdf-1.4", "text/plain"},
		"text": {"hello\n", "text/plain"}, "text of one byte": {"x", "text/plain"}, "text of blanks": {" \n\t\r\n", "text/plain"}, "text in CRLF": {"a\r\nb\r\n", "text/plain"}, "text with a mark": {"\ufeffhello", "text/plain"}, "text with colours": {"\x1b[31mred\x1b[0m", "text/plain"}, "text with directions": {"a\u202eb", "text/plain"}, "text with schwas": {"əəə\n## Authorization\nəəə\n", "text/plain"},
		"page": {"<!doctype html><script>alert(1)</script>", "text/plain"}, "csv": {"=cmd|'/c calc'!A1,2\n", "text/plain"}, "json": {`{"a":[1]}`, "text/plain"}, "script": {"#!/bin/sh\nrm -rf /\n", "text/plain"}, "mhtml": {"MIME-Version: 1.0\nContent-Type: multipart/related\n", "text/plain"},
		"text with NUL": {"a\x00b", ""}, "text with a bell": {"a\x07b", ""}, "text with DEL": {"a\x7f", ""}, "Latin-1": {"caf\xe9", ""}, "half a character": {"caf\xc3", ""}, "overlong": {"\xc0\xaf", ""}, "surrogates": {"\xed\xa0\x80", ""}, "UTF-16": {u16(binary.LittleEndian, true, "hello"), ""}, "UTF-16, big": {u16(binary.BigEndian, true, "hello"), ""}, "UTF-16 without a mark": {u16(binary.LittleEndian, false, "hello"), ""}, "UTF-32": {"\xff\xfe\x00\x00h\x00\x00\x00", ""},
		"zip": {"PK\x03\x04\x14\x00", ""}, "gzip": {"\x1f\x8b\x08\x00", ""}, "elf": {"\x7fELF\x02", ""}, "exe": {"MZ\x90\x00", ""}, "wasm": {"\x00asm", ""}, "bmp": {"BM\x3a\x00\x00\x00", ""}, "tiff": {"II*\x00", ""}, "ico": {"\x00\x00\x01\x00", ""}, "avif": {"\x00\x00\x00\x1cftypavif", ""}, "heic": {"\x00\x00\x00\x18ftypheic", ""}, "mp4": {"\x00\x00\x00\x18ftypmp42", ""}, "mp3": {"ID3\x03\x00", ""}, "psd": {"8BPS\x00\x01", ""}, "sqlite": {"SQLite format 3\x00", ""}, "zeros": {strings.Repeat("\x00", 64), ""}, "noise": {"\x8f\x12\xfe\x03\x99", ""},
		"nothing": {"", ""},
	}
}

// Two hundred odd files: each is refused, or comes back as what its bytes are and as nothing
// that runs, under a name that no disk and no shell trips over; and what lies in files/ then
// can be shown, checked, packed and unpacked.
func TestOddFiles(t *testing.T) {
	s := newShop(t)
	files := oddFiles()
	if n := len(files) + len(oddNames); n < 150 {
		t.Errorf("%d odd files", n)
	}
	for what, f := range files {
		status, a := s.attach(what, f[0])
		switch {
		case f[0] == "" && status != 400, f[0] != "" && f[1] == "" && status != 415, f[1] != "" && status != 201:
			t.Errorf("%s: %d", what, status)
		case f[1] != "":
			s.comesBack(what, f[0], a)
			if a.Type != f[1] {
				t.Errorf("%s is %s", what, a.Type)
			}
		}
		if fitted, err := picture.Fit([]byte(f[0])); err == nil && !picture.Still(picture.Kind(fitted)) {
			t.Errorf("%s is sent", what)
		}
	}
	n := 0
	for name, want := range oddNames {
		n++
		content := fmt.Sprintf("text %d", n)
		status, a := s.attach(name, content)
		plain := picture.PlainName(name)
		switch {
		case plain == "" && status != 400, plain != "" && status != 201:
			t.Errorf("%q: %d", name, status)
		case plain == "":
		case want != "" && a.Path != "files/"+dialog.SHA256(content)[:16]+"-"+want:
			t.Errorf("%q became %q, want …-%s", name, a.Path, want)
		default:
			s.comesBack(name, content, a)
		}
		if want == "" && plain != "" && name[0] != 'x' {
			t.Errorf("%q became %q", name, plain)
		}
	}
	for _, name := range s.attached() {
		if !picture.ValidName(name) || !utf8.ValidString(name) || len(name) > 117 {
			t.Errorf("files/ holds %q", name)
		}
	}
	if got := get[[]string](s, "/project/p/files"); !slices.Equal(got, []string{project.MainDoc}) {
		t.Errorf("the docs are %q", got)
	}
	names, whole := s.snapshot("p", "docs")
	if len(names) != 1+len(s.attached()) {
		t.Errorf("%d of %d files are packed", len(names)-1, len(s.attached()))
	}
	if res, body := s.do(s.request("POST", "/projects?name=again", bytes.NewReader(whole), "Content-Type", zipType)); res.StatusCode != 200 {
		t.Error(res.StatusCode, body)
	}
	again, _ := os.ReadDir(filepath.Join(s.root, "again/files"))
	if len(again) != len(s.attached()) {
		t.Errorf("%d of %d files come back", len(again), len(s.attached()))
	}
}

// comesBack reads a file that was added.
func (s *shop) comesBack(what, content string, a project.Attached) {
	s.t.Helper()
	res, body := s.do(s.request("GET", "/project/p/files/"+url.PathEscape(strings.TrimPrefix(a.Path, "files/")), nil))
	h := res.Header
	if res.StatusCode != 200 || body != content || strings.Split(h.Get("Content-Type"), ";")[0] != a.Type {
		s.t.Errorf("%q comes back with %d, %v", what, res.StatusCode, h)
	}
	if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Content-Security-Policy") != dataPolicy[0] || h.Get("X-Frame-Options") != "DENY" {
		s.t.Errorf("%q: %v", what, h)
	}
	if own := a.Type == picture.SVG || a.Type == picture.PDF; own != strings.HasPrefix(h.Get("Content-Disposition"), "attachment; ") {
		s.t.Errorf("%q: disposition %q", what, h.Get("Content-Disposition"))
	}
	if links := picture.Links(picture.Link(what, a.Path)); len(links) != 1 || links[0] != a.Path {
		s.t.Errorf("%q is shown by %s as %q", what, picture.Link(what, a.Path), links)
	}
}
