import { inflateSync } from "node:zlib";

/**
 * pdfWords returns the words of each page of a PDF that Chromium printed, without blanks: as each glyph is put
 * somewhere, nothing in the file says where a word ends.
 */
export function pdfWords(bytes) {
  const objects = new Map();
  for (const m of bytes.toString("latin1").matchAll(/(?:^|\n)(\d+) 0 obj\n([^]*?)\nendobj/g)) objects.set(m[1], m[2]);
  const stream = (id) => {
    const [, head, body] = /^([^]*?)stream\r?\n([^]*?)\r?\nendstream/.exec(objects.get(id)) ?? [];
    if (body === undefined) return "";
    const raw = Buffer.from(body, "latin1");
    return (/FlateDecode/.test(head) ? inflateSync(raw) : raw).toString("latin1");
  };
  const letters = new Map();
  const fonts = (object) => new Map([...(/\/Font\s*<<([^>]*)>>/.exec(object)?.[1] ?? "").matchAll(/\/(\w+) (\d+) 0 R/g)].map(([, name, id]) => {
    if (!letters.has(id)) letters.set(id, lettersOf(stream(/\/ToUnicode (\d+) 0 R/.exec(objects.get(id))?.[1])));
    return [name, letters.get(id)];
  }));
  const read = (id, object) => {
    const known = fonts(object);
    let out = "", font;
    for (const m of stream(id).matchAll(/\/(\w+) [\d.]+ Tf|<([0-9A-Fa-f]+)>|\/(\w+) Do\b/g)) {
      if (m[1]) font = known.get(m[1]);
      else if (m[2]) for (const g of m[2].match(/.{4}/g) ?? []) out += font?.get(parseInt(g, 16)) ?? "";
      else {
        const x = new RegExp(`/${m[3]} (\\d+) 0 R`).exec(object)?.[1];
        if (x && /\/Form\b/.test(objects.get(x))) out += read(x, objects.get(x));
      }
    }
    return out;
  };
  return [...objects.values()].filter((o) => /\/Type \/Page\b(?!s)/.test(o)).map((o) => read(/\/Contents (\d+) 0 R/.exec(o)[1], o).replace(/[\s\0]/g, ""));
}

// What letters the glyphs of a font are.
function lettersOf(map) {
  const out = new Map(), word = (hex) => Buffer.from(hex, "hex").swap16().toString("utf16le");
  for (const [, part] of map.matchAll(/beginbfchar\n([^]*?)endbfchar/g)) for (const [, glyph, to] of part.matchAll(/<(\w+)> <(\w+)>/g)) out.set(parseInt(glyph, 16), word(to));
  for (const [, part] of map.matchAll(/beginbfrange\n([^]*?)endbfrange/g)) {
    for (const [, from, to, first] of part.matchAll(/<(\w+)> <(\w+)> <(\w+)>/g)) {
      for (let g = parseInt(from, 16), n = 0; g <= parseInt(to, 16); g++, n++) out.set(g, String.fromCharCode(parseInt(first, 16) + n));
    }
  }
  return out;
}
