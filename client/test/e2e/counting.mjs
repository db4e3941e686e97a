import { createServer, request } from "node:http";

/** counting is a proxy between the browser and the program: it notes what the page, its workers and the browser itself ask for. */
export async function counting() {
  const asked = [];
  const server = createServer((req, res) => {
    asked.push({ what: `${req.method} ${req.url.replace(/^http:\/\/[^/]+/, "")}`, at: Date.now() });
    const to = request(req.url, { method: req.method, headers: req.headers }, (r) => {
      res.writeHead(r.statusCode, r.headers);
      r.pipe(res);
    });
    to.on("error", () => res.destroy());
    res.on("close", () => to.destroy());
    req.pipe(to);
  });
  await new Promise((ok) => server.listen(0, "127.0.0.1", ok));
  return { asked, address: `http://127.0.0.1:${server.address().port}`, close: () => { server.closeAllConnections(); server.close(); } };
}

/** noteWritable runs in the page before its own scripts: it notes when the text of a doc takes keys. */
export function noteWritable() {
  new MutationObserver((_, o) => {
    if (document.querySelector(".cm-content[contenteditable=true]") === null) return;
    window.writable = performance.timeOrigin + performance.now();
    o.disconnect();
  }).observe(document, { subtree: true, childList: true, attributes: true });
}
