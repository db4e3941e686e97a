// A doc with every construct that the page of markdown draws.
export const SAMPLE = `---
title: The Lighthouse Game
author: Ada
---
# The Lighthouse Game

A small browser game about keeping a light burning. *Two agents* should work on it: one writes the story, the other builds the page. Nothing is sent anywhere; it is **a toy**, and it should feel *finished*, \`complete\`, and ~~large~~ small.

## How to work

- Read [the story notes](doc-notes.md) before you write anything
- Ask me before you run \`rm\`, or touch a file outside \`game/\`, since what lies there is mine and not made by you
  - One dialog for the story
  - One for the page
- Keep to what [1] and [2] say; see <https://example.com/keepers>

1. First agree on the list of rooms
2. Then write them, one per file

> The keeper said: a light is a sentence you read from far away, and the sea is the page that it stands on.

### To do

- [x] Choose the name
- [ ] Draw the map
- [ ] Write the storm scene

| Room | Mood | Doors | Done |
|:-----|:-----|:-----:|-----:|
| Gallery | wind, and the *lamp* that turns | 2 | yes |
| Stair | dark | 1 | no |
| Store | oil and rope, in a long room below the rock that nobody has measured | 3 | no |

---

\`\`\`js
// what turns
function turn(lamp) { return lamp.angle + 1; }
\`\`\`

![The lamp, drawn by an agent](deed/lamp.png)

əəəproject/v1
- verify \`npm test\`
- phases on
əəə

هذا سطر بالعربية يبدأ من اليمين، وفيه كلمة *مهمة*.

A hidden\u200b character and a\u202e turn.
`;
