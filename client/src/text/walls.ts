import table from "./walls.json" with { type: "json" };

interface Words {
  walls: string;
  closed: string;
  open: string;
  asked: string;
}

const LEVELS: Record<string, Words> = table.levels;

/** wallsWords says what contains a command at a sandbox level, also where the level is not known yet. `asked`: the call asks for the network itself. */
export function wallsWords(level: string, network: boolean, asked = false): string {
  const w = LEVELS[Object.hasOwn(LEVELS, level) ? level : "unknown"]!;
  return [w.walls, network ? w.open : asked ? w.asked : w.closed].filter((s) => s !== "").join(" ");
}

/** walled reports whether a level is known to contain a command. */
export function walled(level: string): boolean { return level !== "none" && level !== "unknown" && Object.hasOwn(LEVELS, level); }
