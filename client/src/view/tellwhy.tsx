import { useState } from "preact/hooks";
import { focused } from "./focus.ts";

/** TellWhy is a no with words: they go to the agent as your next message. */
export function TellWhy({ ready, label, onSend }: { ready: boolean; label: string; onSend: (text: string) => void }) {
  const [text, setText] = useState("");
  const send = () => { if (ready && text.trim() !== "") onSend(text); };
  return (
    <div class="tell-why">
      <textarea
        rows={2} ref={focused} aria-label="Why not" placeholder="What it should do instead" dir="auto" value={text} onInput={(e) => setText(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
            e.preventDefault();
            send();
          }
        }}
      />
      <button disabled={!ready || text.trim() === ""} onClick={send}>{label}</button>
    </div>
  );
}
