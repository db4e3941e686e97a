// A page that an agent asks a human to look at, from the real browser to the window.
import { test } from "node:test";
import { agrees, allow, counts, dialog, project, say, sees, shot, text, withWorld } from "./real.mjs";

const RULES = "# p\n\nəəəproject/v1\ntools server browser\nəəə\n";
const PORT = 8123; // of the server's own network, or else of this machine

const serves = `exec python3 -u -c '
import http.server
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<title>The lamp</title><body style=background:gold><h1>It shines")
http.server.HTTPServer(("127.0.0.1", ${PORT}), H).serve_forever()'`;

const call = (text, id, name, args) => ({ text, calls: [{ id, name, args: JSON.stringify(args) }] });
const FIRST = [call("I start it.", "up", "start_server", { command: serves, port: PORT }), { text: "It runs." }];

test("the human sees the picture that request_visual_qa asks about", () => withWorld({ replies: FIRST }, async ({ world, page }) => {
  await project(page, "p");
  await world.ask("POST", "/project/p/file/doc-main.md", { content: RULES });
  await dialog(page, "looks", "claude");
  await say(page, "Start the server.");
  await allow(page);
  await sees(text(page).getByText("It runs.", { exact: true }));
  const file = world.names("p").find((n) => n.startsWith("dialog-"));
  const url = /"previewUrl":\s*"([^"]+)"/.exec(world.read("p", file))[1];
  const replies = [...FIRST, call("I look.", "look", "request_visual_qa", { url, question: "Does it shine?" }), { text: "It is for you to say." }];
  await fetch(world.mock.line + "/_script", { method: "PUT", body: JSON.stringify({ replies }) });
  await say(page, "Show it to me.");
  await allow(page);
  const picture = text(page).getByRole("button", { name: `Picture of The lamp (${url})` });
  await sees(picture);
  await sees(text(page).getByText("Does it shine?", { exact: true }));
  await agrees(() => picture.locator("img").evaluate((e) => [e.naturalWidth, e.naturalHeight]), [1280, 900]);
  await sees(text(page).getByText("It is for you to say."));
  await counts(page.getByRole("button", { name: "To the end" }), 0);
  await shot(page, "screenshot-1");
}));
