import table from "./walls.json" with { type: "json" };

interface Words {
  walls: string;
  closed: string;
  open: string;
}

const LEVELS: Record<string, Words> = table.levels;

/** wallsWords says what contains a command at a sandbox level, also where the level is not known yet. */
export function wallsWords(level: string, network: boolean): string {
  const w = LEVELS[Object.hasOwn(LEVELS, level) ? level : "unknown"]!;
  return [w.walls, network ? w.open : w.closed].filter((s) => s !== "").join(" ");
}

/** walled reports whether a level is known to contain a command. */
export function walled(level: string): boolean { return level !== "none" && level !== "unknown" && Object.hasOwn(LEVELS, level); }
