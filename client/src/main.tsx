import { render } from "preact";
import { afterwards, wordsFirst } from "./state/afterwards.ts";
import { route } from "./state/navigation.ts";
import { token } from "./state/session.ts";
import { startWindow } from "./state/window.ts";
import { App } from "./view/app.tsx";
import { docsCode, preload, preloadAll } from "./view/chunks.ts";
import { releaseOld } from "./view/released.ts";

const at = route.peek();
if (at.at === "docs" && at.file !== null && token.peek() !== "") wordsFirst();
void Promise.all([preload(at), startWindow(docsCode)]).then(() => {
  const app = document.getElementById("app")!;
  app.replaceChildren(); // the bar that stood there before the script
  releaseOld();
  render(<App />, app);
  afterwards(() => {
    // What waits to be sent outlives the tab that wrote it.
    void import("./state/queue.ts").then((m) => m.startQueue());
    if (typeof requestIdleCallback === "function") requestIdleCallback(preloadAll);
    else setTimeout(preloadAll, 500);
  });
});

// A file that is dropped where none is taken would take the place of the page, with what is written in it.
for (const kind of ["dragover", "drop"] as const) {
  addEventListener(kind, (e) => {
    if (e.defaultPrevented || e.target instanceof HTMLInputElement || !e.dataTransfer?.types.includes("Files")) return;
    e.preventDefault();
    e.dataTransfer.dropEffect = "none";
  });
}
