package main

import "testing"

func TestDrawn(t *testing.T) {
	for _, c := range []struct{ in, drawn, plain string }{
		{"plain text,\n\tüber 日本 👍", "plain text,\n\tüber 日本 👍", "plain text,\n\tüber 日本 👍"},
		{"\x1b[2J", "⟨ESC⟩[2J", "⟨ESC⟩[2J"},
		{"a\rb\x00\x7f\u0085", "a⟨U+000D⟩b⟨U+0000⟩⟨U+007F⟩⟨U+0085⟩", "a⟨U+000D⟩b⟨U+0000⟩⟨U+007F⟩⟨U+0085⟩"},
		{"\u202egpj.exe\u2066", "⟨U+202E⟩gpj.exe⟨U+2066⟩", "⟨U+202E⟩gpj.exe⟨U+2066⟩"},
		{"r\u200bm \ufeff\u00ad\u2060x", "r⟨U+200B⟩m ⟨U+FEFF⟩⟨U+00AD⟩⟨U+2060⟩x", "r\u200bm \ufeff\u00ad\u2060x"},
		{"tag\U000e0041\U000e0042", "tag⟨U+E0041⟩⟨U+E0042⟩", "tag\U000e0041\U000e0042"},
		{"no\u00a0break\u3000wide\u2028line", "no⟨U+00A0⟩break⟨U+3000⟩wide⟨U+2028⟩line", "no\u00a0break\u3000wide⟨U+2028⟩line"},
		{"❤\ufe0f\u3164\u115f", "❤⟨U+FE0F⟩⟨U+3164⟩⟨U+115F⟩", "❤\ufe0f\u3164\u115f"},
		{"bad\xffbytes\xc3", "bad⟨0xFF⟩bytes⟨0xC3⟩", "bad⟨0xFF⟩bytes⟨0xC3⟩"},
		{"a real \ufffd", "a real \ufffd", "a real \ufffd"},
	} {
		if got := drawn(c.in); got != c.drawn {
			t.Errorf("drawn(%q) = %s, want %s", c.in, got, c.drawn)
		}
		if got := plain(c.in); got != c.plain {
			t.Errorf("plain(%q) = %q, want %q", c.in, got, c.plain)
		}
	}
}
