import { render } from "preact";
import { startWindow } from "./state/window.ts";
import { App } from "./view/app.tsx";

void startWindow().then(() => render(<App />, document.getElementById("app")!));
