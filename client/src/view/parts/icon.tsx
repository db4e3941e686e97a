const PATHS = {
  pause: "M5.5 3v10M10.5 3v10",
  check: "M3 8.5l3.2 3.2L13 5",
  ring: "M8 2.6A5.4 5.4 0 1 0 13.4 8",
  clip: "M12.5 7.5l-5 5a3 3 0 0 1-4.2-4.2l5.6-5.6a2 2 0 0 1 2.8 2.8L6.200 11a1 1 0 0 1-1.400-1.400l4.700-4.700",
  dots: "M3 8h.01M8 8h.01M13 8h.01",
  cross: "M4 4l8 8M12 4l-8 8",
  down: "M4 6l4 4 4-4",
  right: "M6 4l4 4-4 4",
  back: "M10 3L5 8l5 5",
  plus: "M8 3v10M3 8h10",
  warn: "M8 2.5l6.2 11H1.8zM8 6.6v3.2M8 11.8h.01",
  stop: "M4.5 4.5h7v7h-7z",
  doc: "M4 2h5.5L13 5.5V14H4zM9.5 2v3.5H13",
  pen: "M3 13l.7-3L10.5 3.2a1.3 1.3 0 0 1 1.9 0l.4.4a1.3 1.3 0 0 1 0 1.9L6 12.3z",
  board: "M2.5 3h4.5v4.5H2.5zM9 3h4.5v4.5H9zM2.5 9.5h4.5V13H2.5zM9 9.5h4.5V13H9z",
  find: "M7 2.8a4.2 4.2 0 1 0 0 8.4 4.2 4.2 0 0 0 0-8.4zM10.2 10.2L13.4 13.4",
  bar: "M4 8h8",
  outline: "M2.5 4h11M5 8h8.5M5 12h8.5",
  read: "M8 4.2C6.5 3 4.5 2.8 2.5 3v9.6c2-.2 4 0 5.5 1.2 1.5-1.2 3.5-1.4 5.5-1.200V3C11.5 2.8 9.5 3 8 4.200v9.6",
  focus: "M2.5 5.500v-3h3M10.5 2.500h3v3M13.5 10.500v3h-3M5.5 13.500h-3v-3",
  save: "M8 2.500v7.500M5 7l3 3 3-3M3 13h10",
  keys: "M1.8 4h12.400v8H1.800zM4.5 6.600h.01M8 6.600h.01M11.5 6.600h.01M5 9.500h6",
} as const;

export type IconName = keyof typeof PATHS;

/** Icon is a small drawing beside a word of the same meaning. */
export function Icon({ name, class: cls = "" }: { name: IconName; class?: string }) {
  return (
    <svg class={`icon ${cls}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
