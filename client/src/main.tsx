import { render } from "preact";
import { route } from "./state/navigation.ts";
import { startWindow } from "./state/window.ts";
import { App } from "./view/app.tsx";
import { preload, preloadAll } from "./view/chunks.ts";
import { releaseOld } from "./view/released.ts";

void Promise.all([preload(route.peek()), startWindow()]).then(() => {
  const app = document.getElementById("app")!;
  app.replaceChildren(); // the bar that stood there before the script
  releaseOld();
  render(<App />, app);
  // What waits to be sent outlives the tab that wrote it.
  void import("./state/queue.ts").then((m) => m.startQueue());
  if (typeof requestIdleCallback === "function") requestIdleCallback(preloadAll);
  else setTimeout(preloadAll, 500);
});
