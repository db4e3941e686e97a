// Dialogs as the server writes them, of any length.

const PROSE = `The keeper of the light wrote in the log each night: the **wind**, the sea, and the ships that passed. Of the
first winter there are *forty pages*; most of them say that nothing happened, and say it well.

- the lamp was trimmed at nine, and once more at four
- a brig under reefed topsails stood in for the roads
- \`lens.turn()\` took 12 s for one turn, as it should

1. Read what the page says.
2. Change one word of it, and look again.

| hour | wind | sea |
| --- | --- | --- |
| 21 | SW 6 | rough |
| 03 | W 4 | moderate |

> A light that nobody sees is still a light, he wrote; but the oil is spent all the same.
`;

const CODE = "```js\nexport function turn(lens, seconds) {\n  const step = 360 / seconds; // degrees\n  return lens.map((l) => ({ ...l, angle: (l.angle + step) % 360 }));\n}\n```\n";

const pad = (n) => String(n).padStart(2, "0");
const instant = (n) => `2026-02-16T${pad(Math.floor(n / 3600) % 24)}:${pad(Math.floor(n / 60) % 60)}:${pad(n % 60)}Z`;

/** dialogText is a dialog with so many sections. Its first says "Section 1 of it.", and so on. */
export function dialogText(id, sections) {
  const out = [`# Dialog\n> DialogId: ${id}\n> Provider: claude\n> Model: claude-test\n> Status: waiting\n> Started: 2026-02-16T00:00:00Z\n`];
  let n = 0, cumulative = 0;
  const put = (role, sectionId, resources, meta, type, text) => {
    out.push(`\n## ${role}\n> Id: ${sectionId}\n> Time: ${instant(n)} - ${instant(n + 1)}\n> Resources: ${resources}\n${meta.map((m) => `> ${m}\n`).join("")}\n\u0259\u0259\u0259${type}\n${text.trimEnd()}\n\u0259\u0259\u0259\n`);
    n++;
  };
  const none = "in=0 out=0 total=0 tools=0 ms=0";
  while (n < sections) {
    const turn = n;
    const left = () => n < sections;
    put("User", `msg_${turn}_u`, none, ["By: human"], "input/markdown", `Section ${n + 1} of it. Please turn the lens once more, and say what you saw.`);
    if (!left()) break;
    const answer = (calls) => {
      cumulative += 1656;
      put("Assistant", `msg_${turn}_a${n}`, `in=1200 out=456 total=1656 tools=${calls} ms=3982`, [`Resources cumulative: in=${cumulative} out=0 total=${cumulative} tools=0 ms=0`, `Stop: ${calls > 0 ? "calls" : "end"}`],
        "output/markdown", `Section ${n + 1} of it.\n\n${PROSE}${n % 3 === 0 ? CODE : ""}`);
    };
    answer(2);
    for (const [tool, input, result] of CALLS) {
      if (!left()) break;
      const call = `call_${n}`;
      put("Tool Request", call, none, [`Tool: ${tool}`, "Status: pending"], "tool/input/json", JSON.stringify(input(n)));
      if (!left()) break;
      put("Tool Result", call, "in=0 out=0 total=0 tools=1 ms=8", [`Tool: ${tool}`, "Status: approved"], "tool/result/json", JSON.stringify(result(n)));
    }
    if (left()) answer(0);
  }
  return out.join("");
}

const CALLS = [
  ["read_file", (n) => ({ path: `deed/page-${n}.html` }), (n) => ({ success: true, path: `deed/page-${n}.html`, content: PROSE })],
  ["edit_file", (n) => ({ path: `deed/page-${n}.html`, old_string: PROSE, new_string: PROSE.replace("forty", "fifty") }), (n) => ({ success: true, path: `deed/page-${n}.html`, sha256: "ab".repeat(32), bytes: 900 })],
  ["list_files", () => ({ path: "deed" }), () => ({ success: true, files: ["index.html", "lamp.js"] })],
];

/** answerText is a long answer of mixed markdown. */
export const answerText = (times) => Array.from({ length: times }, (_, i) => `## Night ${i + 1}\n\n${PROSE}\n${CODE}`).join("\n");
