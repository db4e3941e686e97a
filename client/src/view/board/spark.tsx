import { sparkPoints } from "../../text/board.ts";
import { board as words } from "../../text/strings.ts";
import { number } from "../../text/time.ts";

const WIDTH = 56, HEIGHT = 14;

/** Spark is a line through the length of a dialog's last answers. */
export function Spark({ wrote }: { wrote: number[] }) {
  if (wrote.length < 2) return null;
  const points = sparkPoints(wrote).map(([x, y]) => `${(1 + x * (WIDTH - 2)).toFixed(1)},${(1 + y * (HEIGHT - 2)).toFixed(1)}`);
  const label = words.wrote(wrote.length, number(Math.max(...wrote)));
  return <svg class="spark" width={WIDTH} height={HEIGHT} role="img" aria-label={label}><title>{label}</title><polyline points={points.join(" ")} /></svg>;
}
