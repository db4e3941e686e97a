import { useEffect, useRef, useState } from "preact/hooks";
import { focused } from "./focus.ts";

interface Props {
  label: string;
  text: string;
  onText: (text: string) => void;
  onSend: (text: string) => void;
}

/** TellWhy denies with a text, which goes to the agent as the next message. */
export function TellWhy({ label, text, onText, onSend }: Props) {
  const send = () => { if (text.trim() !== "") onSend(text); };
  return (
    <div class="tell-why">
      <textarea
        rows={2} ref={focused} aria-label="Why not" placeholder="What it should do instead" dir="auto" value={text} onInput={(e) => onText(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
            e.preventDefault();
            send();
          }
        }}
      />
      <button disabled={text.trim() === ""} onClick={send}>{label}</button>
    </div>
  );
}

/** useWhy holds the text of TellWhy. Where the question disappears before it is sent, onLeft gets it. */
export function useWhy(onLeft: (text: string) => void): { text: string; onText: (text: string) => void; sent: () => void } {
  const [text, setText] = useState("");
  const unsent = useRef("");
  useEffect(() => () => { if (unsent.current.trim() !== "") onLeft(unsent.current); }, []);
  const onText = (t: string) => {
    unsent.current = t;
    setText(t);
  };
  return { text, onText, sent: () => { unsent.current = ""; } };
}
