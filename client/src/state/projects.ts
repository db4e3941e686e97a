import { batch, signal } from "@preact/signals";
import type { ProjectNeeds } from "../types.ts";
import { watch } from "./live.ts";
import { api } from "./api.ts";

/** The names of all projects; null before they were read. */
export const projects = signal<string[] | null>(null);
const titles = signal<ReadonlyMap<string, string>>(new Map());
/** How many dialogs wait and work in each project; null before it is known. */
export const everywhere = signal<ProjectNeeds[] | null>(null);
/** The project in view. */
export const project = signal<string | null>(null);

/** projectTitle returns what people call a project: its title, else its name. */
export function projectTitle(name: string): string { return titles.value.get(name) ?? name; }

function nameProjects(all: { name: string; title?: string }[]): void {
  batch(() => {
    projects.value = all.map((p) => p.name);
    titles.value = new Map(all.map((p) => [p.name, p.title ?? p.name]));
  });
}

export async function loadProjects(): Promise<void> { nameProjects(await api.projects()); }

/** followEverywhere follows what goes on in all projects. */
export function followEverywhere(): () => void {
  return watch("projects", "", (all) => {
    const frame = all.findLast((t) => t.frame.type === "projects")?.frame as { projects: ProjectNeeds[] } | undefined;
    if (frame === undefined) return;
    batch(() => {
      everywhere.value = frame.projects;
      nameProjects(frame.projects);
    });
  });
}
