// The story of the pictures, told once: a project, two agents, and what they made, through the page alone.
import { test } from "node:test";
import { withWorld } from "./real.mjs";
import { tell } from "../story/story.mjs";
import { LOGS, PREVIEW, script } from "../story/words.mjs";

test("a small story with two agents is made through the page alone", () => withWorld(script, (w) => tell(w, () => undefined), { expect: LOGS, elsewhere: PREVIEW }));
