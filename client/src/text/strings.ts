import type { Lines, Writer } from "./versions.ts";
import { bytes, number, plural } from "./time.ts";

// What a person reads in the window, by the part of it that shows it. The build gives each
// part its own objects alone, and can do so because they hold literals and functions: what
// is called to make one would be kept in every part.

const line = (n: number) => plural(n, "line");
const go = (n: number) => `${line(n)} ${n === 1 ? "goes" : "go"}`;
const come = (n: number) => `${n} ${n === 1 ? "comes" : "come"}`;
const stay = (n: number) => `${n} ${n === 1 ? "stays" : "stay"}`;

/** The window around all parts. */
export const app = {
  slow: "The server is taking long to answer. Nothing is lost; what you write stays here.",
  notLoaded: "A part of the window could not be loaded: the server is gone, or another version of it was started. When it runs, load the page again; what you have written is kept.",
  partMissing: "This part of the window could not be loaded. Nothing is lost: load the page again.",
  reload: "Load again",
  dismiss: "Dismiss",
  notSaved: (title: string) => `${title} is not saved.`,
  saveFailed: "It could not be saved. Stay, and see why.",
  notOnDisk: "Your changes are not on disk yet.",
  stay: "Stay",
  saveAndLeave: "Save and leave",
  discard: "Discard",
  project: "The project",
  projectGone: "is not there any more. Where its folder comes back it is in view again; what you had not saved is kept in this browser.",
  allProjects: "All projects",
  unfollowed: (why: string) => `Some of what you see is not followed just now, so it may be old. It is tried again by itself. ${why}`,
  lost: (seconds: number) => `Connection lost. What you see is ${seconds} s old.`,
  lostHeard: "Nothing is heard of the server: what you see grows old.",
  backHeard: "The server is heard again.",
  tryNow: "Try now",
  moved: "Not done yet: the page had just moved. Click once more.",
};

const WHO: Record<Writer, string> = { agent: "An agent", you: "You, in another tab,", other: "Another program", unknown: "" };

/** The versions of a doc, and who wrote what. */
export const history = {
  menu: (title: string) => `Menu of ${title}`,
  open: "History",
  who: "Who wrote this",
  of: (title: string) => `History of ${title}`,
  looking: "Looking for its versions…",
  choose: "Choose two versions to compare, or one to put back.",
  unsaved: "What you have not saved is not among them.",
  one: "There is one version so far. Each time you save, or an agent changes this doc, one is added.",
  none: "There is no version yet: this doc is not in the folder any more.",
  versions: "Versions",
  version: (n: number) => `Version ${n}`,
  now: "as it is now",
  notKept: "Its text is not kept any more.",
  removed: "The doc was removed.",
  noTime: "time not known",
  words: (n: number) => (n === 0 ? "as many words" : `${n > 0 ? "+" : "−"}${plural(Math.abs(n), "word")}`),
  you: "you saved it",
  agent: "an agent changed it",
  undone: "you took back what an agent did",
  unknown: "not known who: another program, perhaps",
  inDialog: (title: string) => `In the dialog “${title}”`,
  compare: "Compare",
  putBack: "Put back",
  close: "Close",
  difference: (a: number, b: number) => `From version ${a} to version ${b}`,
  same: "Both have the same text.",
  colours: "What was taken out is struck through; what was put in is coloured.",
  saveFirst: "You have written something here that is not saved. Save or discard it first; then a version can be put back.",
  isPut: (n: number) => `Version ${n} is put back, as a new version.`,
  notPut: "It could not be put back for now. Look at what stands above or below the text, then try again.",
  failed: (why: string) => `The versions could not be read: ${why}`,
  tryAgain: "Try again",
  whoTitle: "Who wrote this",
  lookingWho: "Looking who wrote it…",
  changed: "This doc has just changed. Try again in a moment.",
  blank: "There are no words here. Put the cursor into a paragraph.",
  youAt: (at: string) => `You wrote this and saved it: ${at}.`,
  agentAt: (at: string) => `An agent wrote this: ${at}.`,
  notSaved: "You are writing this. It is not saved yet.",
  notKnown: "It is not known who wrote this. Another program may have, or what this doc was before is not kept any more.",
  gone: (id: string) => `The dialog ${id} is not there any more.`,
  allowed: { human: "You allowed this change.", allow: "You had allowed such changes in its dialog.", rule: "You had allowed such changes in this project." },
};

/** A doc. */
export const docs = {
  news(who: Writer, dialog: string, l: Lines): string {
    const [did, n] = l.removed + l.changed === 0 && l.added > 0 ? ["added", l.added] as const : l.added + l.changed === 0 && l.removed > 0 ? ["removed", l.removed] as const : ["changed", Math.max(1, l.added + l.removed + l.changed)] as const;
    if (who === "unknown") return `${line(n)} ${n === 1 ? "was" : "were"} ${did} from outside`;
    return `${dialog === "" ? WHO[who] : `${WHO[who]}, in “${dialog}”,`} ${did} ${line(n)}`;
  },
  show: "Show",
  undo: "Undo",
  dismiss: "Dismiss",
  overlap: "You and another writer changed the same lines. Both texts are kept until you choose; what was changed elsewhere is merged.",
  notSavedYet: "Not saved yet. Choose first: Keep mine, Take theirs or Keep both.",
  showBoth: "Show both",
  keepMine: "Keep mine",
  takeTheirs: "Take theirs",
  keepBoth: "Keep both",
  redGreen: "Red stands in theirs alone, green in yours alone.",
  restored: (at: string, more: number) => `This is what you had not saved${at ? ` at ${at}` : ""}.${more === 0 ? "" : ` ${plural(more, "other text")} of a closed tab ${more === 1 ? "comes" : "come"} after it.`}`,
  moreUnsaved: "A closed tab had another text of this doc, which is not saved either. It is kept in this browser.",
  later: "Later",
  resume: "Go on with it",
  goBack: "Go back to the file",
  gone: "This doc was deleted on disk while you were writing. Your text is still here: Save writes it anew.",
  kept: "Your text is kept in this browser.",
  tryAgain: "Try again",
  whatNow: "What now",
  noRoom: "This browser has no room left to keep a draft: save soon.",
  plain: "A line here is very long, so this doc is shown as plain text.",
  empty: "Write here what you want to exist.",
  leaveText: "Tab indents. Escape, then Tab, leaves the text.",
  words: (n: number) => `${n.toLocaleString("en")} ${n === 1 ? "word" : "words"}`,
  textOf: (title: string) => `Text of ${title}`,
  title: "Title of this doc",
  notRetitled: "It could not be saved. See above the text why.",
  pages: "Docs to link to",
  notLoaded: (why: string) => `The editor could not be loaded: ${why}`,
  outline: "Outline",
  outlineOf: (title: string) => `Outline of ${title}`,
  selectFirst: "Select the passage first that you want to ask about.",
  noHeadings: "No headings yet. A line that begins with # is one.",
  read: "Read",
  focus: "Focus",
  keys: "Keys",
  page: "Save as a page",
  pageCommented: "Save as a page, with its comments",
  pageAbout: "One file to read, print or give away, in any browser. It runs nothing.",
  pageSaved: "The page has what is saved. What you changed since is not in it.",
  keysTitle: "Keys in a doc",
  close: "Close",
  keyList: [
    ["Ctrl S", "save"],
    ["Ctrl E", "the reading view, and back to writing"],
    ["Ctrl Shift E", "the focus mode: only the paragraph at the cursor is bright"],
    ["Ctrl Shift O", "the outline"],
    ["Ctrl click, Ctrl Enter", "follow the link, or go to the note and back"],
    ["Ctrl I", "ask about what is selected"],
    ["Ctrl Alt M", "comment on what is selected"],
    ["Ctrl B, Ctrl Shift I", "bold, italic"],
    ["Enter", "goes on with a list, a task or a quote; on an empty item it ends the list"],
    ["Tab, Shift Tab", "further in, further out"],
    ["Escape, then Tab", "leave the text"],
    ["Ctrl F", "find; Enter and Shift Enter go on and back"],
    ["Ctrl Z, Ctrl Y", "undo, redo: of what you wrote, never of what others did"],
  ] as [string, string][],
  followName: (address: string) => `Open the link to ${address}`,
  followWords: (address: string) => `↗ ${address.length > 60 ? `${address.slice(0, 59)}…` : address}`,
  missingTitle: (title: string) => `There is no doc “${title}” yet.`,
  missing: (file: string) => `The link leads to ${file}. It can be created now.`,
  badName: (file: string) => `The link leads to ${file}, and no doc can be called that: its name is made of the letters a to z, digits, - and _. Make it with New doc, which takes any title; then [ and a few letters of that title offer the link.`,
  create: "Create it",
  notNow: "Not now",
  noDialog: (id: string) => `There is no dialog ${id} in this project.`,
  noWay: (address: string) => `This link can't be followed from here: ${address}`,
  noHeading: (heading: string, title: string) => `There is no heading “${heading}” in ${title}.`,
  noPicture: (address: string) => `The picture ${address} can't be shown.`,
  card: (type: string) => (type === "" ? "Front matter" : type.startsWith("project/") ? "How agents work here" : type.startsWith("control/") ? "Permissions for new dialogs" : `Block ${type}`),
  fold: "Fold",
  rules: "What agents may do here",
  noEffect: (n: number) => `${n.toLocaleString("en")} ${n === 1 ? "line has" : "lines have"} no effect`,
  toConfirm: "waits for you to confirm it",
  toDocs: "Docs",
  discard: "Discard",
  save: "Save",
  saving: "Saving…",
  notSaved: "Not saved",
  saved: (at: string) => `Saved · ${at}`,
  view: "View",
  both: "Both versions",
  confirmed: "Confirmed. It holds in each new dialog from now on.",
  changed: "The doc changed since you looked, so nothing was confirmed. This is how it stands now.",
  planChanged: "The plan changed since you looked, so nothing was confirmed. This is how it stands now.",
};

/** What is pasted into a doc. */
export const pasted = {
  noPicture: (words: string) => `(A picture is missing here${words === "" ? "" : `: ${words}`}. Copy it alone and paste it here.)`,
};

/** A passage of a doc. */
export const passage = {
  menu: "The passage",
  ask: "Ask",
  field: "Ask about this passage",
  send: "Send",
  goesTo: "Goes to",
  oneOf: (name: string, at: string) => `${name} · ${at}`,
  newOne: (title: string) => `a new dialog, ${title}`,
  notSaved: "What you wrote in the doc could not be saved, so your question was not sent. It stays here.",
  notSent: (why: string) => `It was not sent, and stays here. ${why}`,
  changed: "These words do not stand in the doc any more, so your question was not sent. It stays here: Escape, then select another passage.",
  waits: "This dialog is at work, or asks you something. Your question goes out when it rests, as long as this doc stays open here. Or choose another dialog.",
  suggestions: "Suggestions",
  at: (n: number, of: number) => `${n} of ${of}`,
  previous: "Previous",
  next: "Next",
  allowAll: (n: number) => `Allow all ${n}`,
  notMade: (why: string) => `The change was not made. ${why}`,
  firstSee: "Each of them must have been in view first: Next leads to it.",
  elsewhere: "This passage reads otherwise now, or can’t be shown in the text, so the change stands here.",
  asCard: "Show it apart from the text",
  toDialog: (name: string) => `Open ${name}`,
  answer: (name: string) => `Answer of ${name}`,
  reading: "Sent. The answer stands here while it is written.",
  asks: "It asks you something, which its dialog shows.",
  stopped: "It stopped before its end; its dialog says why.",
  close: "Close",
  noModel: "No model is connected yet, so it was not sent. New dialog, in Dialogs, says how to connect one.",
};

/** Comments and suggestions in a doc. */
export const margins = {
  comment: "Comment",
  comments: "Comments",
  commentOn: (words: string) => `Comment on “${words}”`,
  add: (words: string) => `Add “${words}”?`,
  del: (words: string) => `Take out “${words}”?`,
  sub: (was: string, now: string) => `“${now}” for “${was}”?`,
  acts: { done: "Done", keep: "Keep", drop: "Drop" },
  sent: "Sent",
};

/** The comments of a doc as one message. */
export const comments = {
  name: "Comments",
  count: (n: number) => plural(n, "comment"),
  allSent: (n: number) => `${plural(n, "comment")}, sent`,
  send: "Send my comments",
  head: (n: number) => `My comments, one for each of the ${n} passages, in their order:`,
  at: (line: number, words: string) => `Line ${line}${words === "" ? "" : `, “${words}”`}: `,
  none: "There is no comment in the doc any more.",
  sent: (title: string) => `Sent to ${title}.`,
  look: "Look",
  shown: "Show comments at the end",
  field: "Comment",
  put: "Comment",
  onSelected: "Select the passage first that you want to comment on.",
  notHere: "No comment can stand on this: in code it would be a part of the code. Select words around it.",
  notSaved: "What you wrote in the doc could not be saved, so your comments were not sent. They stay where they are.",
  notSent: (why: string) => `Your comments were not sent, and stay where they are. ${why}`,
  waits: "This dialog is at work, or asks you something. Your comments go out when it rests, as long as this doc stays open here. Or choose another dialog.",
  noModel: "No model is connected yet, so your comments were not sent. New dialog, in Dialogs, says how to connect one.",
};

/** What is searched for in a doc. */
export const find = {
  name: "Find in this doc",
  words: "Find",
  other: "Replace with",
  count: (at: number, n: number, more: boolean) => (n === 0 ? "Nothing found" : `${at === 0 ? "" : `${number(at)} of `}${number(n)}${more ? "+" : ""}`),
  previous: "Previous (Shift Enter)",
  next: "Next (Enter)",
  close: "Close (Escape)",
  replaceOpen: "Replace…",
  replace: "Replace",
  replaceAll: "All",
};

/** What a model read and wrote. */
export const took = {
  words: (read: number, wrote: number) => `${number(read)} read · ${number(wrote)} written`,
  unit: "Counted in pieces of words (tokens), as the model reads and writes them",
};

const times = (n: number, what: string) => (n === 1 ? `1 ${what}` : `${n} ${what}s`);

/** The log of a dialog. */
export const log = {
  noPicture: "This image can't be shown.",
  reads(files: number, lists: number, searches: number): string {
    const said = [files > 0 ? `read ${times(files, "file")}` : "", lists > 0 ? `listed ${times(lists, "folder")}` : "", searches > 0 ? `searched ${times(searches, "time")}` : ""].filter(Boolean).join(", ");
    return said.charAt(0).toUpperCase() + said.slice(1);
  },
  exact: (read: number, wrote: number, cached: number, thought: number) =>
    `Read ${number(read)} pieces of words${cached > 0 ? `, ${number(cached)} of them known from before` : ""}; wrote ${number(wrote)}${thought > 0 ? `, ${number(thought)} of them for thinking` : ""}.`,
  name: "Dialog text",
  silent: "Nothing was said yet. Write below what you want.",
  toQuestion: "To the question",
  toEnd: "To the end",
  writer: (name: string) => `${name}, writing`,
  writing: "writing",
  atWork: "at work",
  starting: "starting; the first time this may take a minute",
  messages: "Messages",
  previous: "Previous message (K)",
  next: "Next message (J)",
  tooLarge: "This file is too large to be shown here. It is in the deed folder.",
  close: "Close",
};

/** What a call does to the file that it would write. */
export const write = {
  over: (path: string) => `Write over ${path}?`,
  leads: (path: string) => `This path leads to ${path}.`,
  made: (lines: number, size: number) => `It makes a new file of ${line(lines)} (${bytes(size)}).`,
  adds: (path: string, add: number) => `Adds ${line(add)} to ${path}. Nothing in it goes.`,
  changes: (path: string, del: number, add: number, same: number) => `Changes ${path}: ${go(del)}, ${come(add)}, ${stay(same)}.`,
  replaces: (path: string, del: number, add: number) => `Replaces all of ${path}: ${go(del)}, ${come(add)}.`,
  takes: (path: string, del: number, same: number) => `Takes lines out of ${path}: ${go(del)}, ${stay(same)}.`,
  empties: (path: string, del: number) => `Empties ${path}: ${go(del)}, and nothing comes.`,
  edits(del: number, add: number): string {
    const what = del === 0 ? `Adds ${line(add)}.` : add === 0 ? `Removes ${line(del)}.` : del === add ? `Replaces ${line(del)}.` : `Replaces ${line(del)} with ${line(add)}.`;
    return `${what} Nothing else in the file changes.`;
  },
  within: (words: boolean) => `${words ? "Changes words in one line" : "Takes words out of one line"}. Nothing else in the file changes.`,
  lineBreak: "Only the line break at the end changes.",
  same: "Nothing changes: the file holds exactly this already.",
  missing: "There is no such file now. If you allow this, nothing happens but that the agent is told so.",
  nowhere: "The words to be replaced do not stand in the file exactly once now. If you allow this, nothing happens but that the agent is told so.",
  stale: "The file has changed since this agent last saw it. If you allow this, nothing happens but that the agent is told so.",
  clashes: (path: string) => `Another question of this dialog changes the same words of ${path}. Only the one that you allow first can change them: the other then does nothing.`,
  around: {
    none: "The server does not tell which file this is. What stands around the change, and on which line, is not known.",
    unshown: "The file is no text, or too large to be shown. What stands around the change, and on which line, is not known.",
    failed: "The file could not be read. What stands around the change, and on which line, is not known.",
  },
  reading: "What stands there now is being read.",
  again: "Try again",
  unshown: (was: number, size: number) => `It replaces the whole file. What stands there now is no text, or over 5 MiB, so it is not shown: ${bytes(was)} go, ${bytes(size)} come.`,
  failed: (was: number, size: number) => `It replaces the whole file. What stands there now could not be read, so it is not shown: ${bytes(was)} go, ${bytes(size)} come.`,
  keep: "Keep what this command changed?",
  unknown: (lines: number, size: number) => `The file gets ${line(lines)} (${bytes(size)}). What it held before is replaced.`,
};

const one = (n: number) => (n === 1 ? "one" : number(n));
const listed = (all: string[]) => (all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`);

/** What a tried command did, which waits. */
export const tried = {
  did(changed: number, moved: number, added: number, removed: number): string {
    const all = [[changed, "changed"], [moved, "moved"], [added, "made"], [removed, "removed"]] as [number, string][];
    return listed(all.filter(([n]) => n > 0).map(([n, verb], i) => `${verb} ${one(n)}${i > 0 ? "" : verb === "made" ? ` new ${n === 1 ? "file" : "files"}` : n === 1 ? " file" : " files"}`));
  },
  nothing: "changed nothing that can still be kept",
  folders: (n: number) => `made or removed ${one(n)} ${n === 1 ? "folder" : "folders"}`,
  it: (did: string, exit: number) => `It ${did}; it ${exit === 0 ? "ended well, exit 0" : exit > 0 ? `ended with an error, exit ${exit}` : "was ended before it was through"}.`,
  waits: "Nothing of this counts before you allow it.",
  lasting: (most: number) => `This is more than ${most} files: once it is allowed, Undo can’t take it back as a whole.`,
  kinds: { added: "new", changed: "changed", deleted: "removed" },
  file: (path: string, words: string[]) => `${path}: ${words.filter((w) => w !== "").join(", ")}`,
  link: "a link; this is where it leads",
  empty: "empty",
  emptied: "now empty",
  moved: (to: string) => `moved to ${to}, otherwise as it was`,
  folder: { added: "a new folder, empty", changed: "a folder; who may use it changes", deleted: "a folder, removed" },
  program: "may be run as a program",
  runs: "may now be run as a program",
  runsNot: "may not be run as a program any more",
  anyone: "anybody on this computer may write to it",
  data: (was: string, is: string) => (was === "" ? `${is}, no text, so not shown` : is === "" ? `${was}, no text, so not shown` : `${was} before, ${is} now, no text, so not shown`),
  pictures: (both: boolean) => (both ? "changed, before and now" : ""),
  before: (path: string) => `${path} before`,
  now: (path: string) => `${path} now`,
  reading: (path: string) => `${path} is being read.`,
  failed: (path: string) => `${path} could not be read. Nothing was decided.`,
  again: "Try again",
  firstRead: "What it changed is being read.",
  notRead: "Not all that it changed could be read. Try again above, or say no.",
  large: (size: string) => `${size}, not shown`,
  long: ({ del, add }: { del: number; add: number }) => `${listed([[add, "added"], [del, "removed"]].filter(([n]) => n !== 0).map(([n, what]) => `${plural(n as number, "line")} ${what}`))}, not shown`,
  many: (n: number, verbs: string[], folder: string, size: string) => `${plural(n, `${listed(verbs)} file`)} of ${folder}, ${size}, not shown`,
  rest: (n: number, size: string) => `${plural(n, "more file")}, ${size}, not shown`,
  more: (n: number) => `and ${number(n)} more`,
  unseen: "Allow this without seeing it",
  tick: "Not all of it is shown: open what is not, if you like, and tick that you allow it.",
  stays: (path: string) => `${path} stays as it is now: somebody changed it meanwhile, so what the command made of it is not kept.`,
  printed: (lines: string) => `What it printed: ${lines}`,
  errors: (lines: string) => `Errors and notices that it printed: ${lines}`,
  command: "The command",
  offer: "Try commands first from now on, and ask me about what they change",
  offerAbout: "A tried command runs at once, but nothing of it counts until you have seen what it changed.",
};

/** The panel that answers beside a list. */
export const answers = {
  here: "Answer here",
  hereTo: (name: string) => `Answer here: ${name}`,
  look: "Open the dialog",
  close: "Close",
  reading: "Reading the question…",
  answered: "Nothing waits for an answer any more.",
  gone: "This dialog is not there any more.",
  sending: "Nothing was decided: your last answer is still on its way. Do it again in a moment.",
};

/** What may be done unasked. */
export const allow = {
  always: (what: string) => `Always allow ${what} in this dialog`,
  triedIn: (folder: string) => `changes below ${folder}`,
  commandsIn: (folder: string) => `changes by commands below ${folder}`,
  tried: "commands, tried first: what they change asks",
  exactly: (subject: string) => `In the file: ${subject.startsWith("try ") ? "" : "allow "}${subject}`,
  edits: "changes to files",
  editsIn: (folder: string) => `changes in ${folder}`,
  writes: "writing files",
  writesIn: (folder: string) => `writing files in ${folder}`,
  tools: {
    run_command: "commands",
    start_server: "servers",
    stop_server: "stopping servers",
    launch_agent: "starting agents",
    plan_decision_log: "notes in the plan",
    message_agent: "messages to other agents",
    browser_console: "looking at its pages",
    request_visual_qa: "asking about its pages",
    network: "the network for commands",
  } as Record<string, string>,
  summary: "Always allow…",
  standing: (n: number) => `Allowed without asking: ${n}`,
  takeBack: (what: string) => `Take back ${what}`,
  takeBackShort: "Take back",
  unasked: "Allowed without asking",
  stillAsks: "(still asks: no sandbox)",
  stopFirst: "Stop the agent first, then take it back.",
  asksAgain: "It asks again from here on.",
  stopToTakeBack: "Stop the agent to take it back.",
};

/** Finishing or deleting a dialog that asks. */
export const closing = {
  finish: (name: string) => `Finish ${name}?`,
  denies: (n: number) => (n === 1 ? "It waits for your answer to one question. This says no to it:" : `It waits for your answers to ${n} questions. This says no to all of them:`),
  over: "Write over",
  keeps: "Keep what this changed:",
  more: (n: number) => `and ${plural(n, "more question")}`,
  changed: "What it asks has changed since you looked, so nothing was done. This is what it asks now.",
  keep: "Keep it open",
  finishNow: "Finish, and say no",
};

const some = (paths: string[]) => (paths.length < 4 ? paths.join(", ") : `${paths.slice(0, 3).join(", ")} and ${plural(paths.length - 3, "more file")}`);

/** Taking changes back. */
export const undoing = {
  undo: "Undo",
  turn: "Undo this turn",
  redo: "Redo",
  undone: "Taken back",
  puts: (paths: string[], others = 0) => `puts ${some(paths)} back as before${others === 0 ? "" : `; ${plural(others, "other file")} ${others === 1 ? "stays as it is" : "stay as they are"}`}`,
  stopFirst: "Stop the agent first, then undo.",
  left: (path: string, why: string) => `${path} was left as it is: ${why}.`,
  tookBack: (paths: string[]) => `You took back what was changed in ${some(paths)}.`,
  broughtBack: (paths: string[]) => `You brought back what was changed in ${some(paths)}.`,
  nothing: "An undo put nothing back.",
  tookLines: (path: string, from: number, to: number) => `You took back a change in ${path}, ${linesWords(from, to)}.`,
};

function linesWords(from: number, to: number): string {
  if (to < from) return `above line ${number(from)}`;
  return from === to ? `line ${number(from)}` : `lines ${number(from)}–${number(to)}`;
}

/** What a turn changed, in one view. */
export const review = {
  changed: (files: number) => `${plural(files, "file")} changed`,
  open: "Review",
  unsent: (n: number) => `${plural(n, "comment")} not sent`,
  name: "Review",
  previous: "Previous",
  previousAbout: "Previous (K)",
  next: "Next",
  nextAbout: "Next (J)",
  at: (n: number, all: number) => `${number(n)} of ${number(all)}`,
  count: (all: number) => plural(all, "change"),
  send: "Send",
  sendAbout: (n: number) => (n === 0 ? "Write a comment at a line first." : `Makes one message of ${n === 1 ? "your comment" : `your ${n} comments`}.`),
  close: "Close (Escape)",
  reading: "Reading what changed…",
  again: "Try again",
  none: "None of it is there to be shown.",
  hunk: (path: string, from: number, to: number) => `${path}, ${to < from ? `taken out ${linesWords(from, to)}` : linesWords(from, to)}`,
  step: (n: number, all: number) => `Change ${n} of ${all} of this file`,
  noLines: (why: string) => `No lines are shown: ${why}.`,
  runs: "Can be run as a program now.",
  runsNot: "Can’t be run as a program any more.",
  mode: "Who may use this file was changed.",
  since: "This file was changed since.",
  gone: "This file is not there any more.",
  stays: (why: string) => `Nothing is taken back here: ${why}.`,
  takeBack: "Take back",
  tookBack: "Taken back.",
  comment: "Comment",
  commentOn: (n: number, before: boolean) => (before ? `Comment on the former line ${number(n)}` : `Comment on line ${number(n)}`),
  remove: "Remove",
  opening: "Comments on what you changed:",
  on: (path: string, sha256: string, n: number, before: boolean, text: string, words: string) => `On ${path}${before ? " as it was before" : ""}${sha256 === "" ? "" : ` (sha256 ${sha256})`}, line ${n}:\n\n> ${text}\n\n${words}`,
  stray: (n: number, before: boolean) => `Your comment on ${before ? "the former line" : "line"} ${number(n)}, which is not shown any more:`,
  sent: "Your comments are on their way as one message.",
  noRoom: "This browser has no room to keep the message, so it was not sent. Your comments stay here.",
  notKept: "This browser has no room to keep the comment: send it before you leave.",
};

const INTENT_WORDS: Record<string, string> = {
  conversational: "Only talk", status_check: "Quick look", diagnose: "Find out why", small_fix: "Small fix", feature_build: "Build something", autonomous: "Work alone",
};

/** How much work a message may be. */
export const effort = {
  label: "How much work",
  asItReads: "As much as it needs",
  reads: (words: string) => `${words} (from your message)`,
  title: (intent: string) => (intent === "" ? "How many steps it may take is found from what you write." : `In the file: Intent: ${intent}`),
  words: (intent: string, rounds?: number) => `${INTENT_WORDS[intent] ?? intent}${rounds === undefined ? "" : ` · ${rounds === 0 ? "no steps" : `up to ${plural(rounds, "step")}`}`}`,
};

/** The line over a dialog. */
export const strip = {
  took: "How long agents worked in it",
  details: "Details",
  noQuestion: "No question waits here.",
  full: (percent: number) => `${percent} % full`,
  held: (tokens: string, window: string) => `The agent's model holds ${tokens} of ${window} tokens (its context). Earlier turns are summed up before it is full.`,
  cost: (asOf: string) => `At the list prices of ${asOf}, without what a cache saves.`,
  others: ([first = "", ...more]: string[]) => (more.length === 0 ? `${first} is writing` : `${first} and ${plural(more.length, "other")} are writing`),
  file: "The file that holds this dialog",
  gone: "This dialog is not there any more.",
  back: "Back to the dialogs",
  dialogs: "Dialogs",
  dialog: (name: string) => `Dialog ${name}`,
  recording: "This is a recorded example. No AI model is used, and nothing leaves this computer.",
  twoFiles: (shown: string, other: string) =>
    `Two files of this dialog are in the project's folder: ${shown}, which you see, and ${other}. A program such as git brought one back. Nothing is written while both are there. Delete one of them, or run \`vibey repair\`, which makes the older one a dialog of its own.`,
  finishedFirst: "It was not sent. You finished this dialog first.",
  acts: "This dialog",
  stop: "Stop",
  resume: "Continue",
  finish: "Finish",
  finishAbout: "Marks this dialog as done. A new message wakes it.",
  reopen: "Reopen",
  reopenAbout: "Puts this dialog back among those that wait for you.",
  more: "More",
  sumUp: "Sum up earlier turns",
  sumUpAbout: "The agent reads a summary in their place. The last four stay whole, nothing is deleted, and it can be undone.",
};

/** What stands around commands, in three words; and whether the disk keeps what is written through a power cut. */
export const walls = {
  weak: (level: string, durable: boolean) => level === "none" || level === "landlock" || !durable,
  words: (level: string, durable: boolean) =>
    (level === "none" ? "Commands run without safeguards" : level === "landlock" ? "Commands run with fewer safeguards" : "Commands stay inside this project") + (durable ? "" : "; a power cut may lose work"),
};

/** What stands around commands, at length. */
export const aroundCommands = {
  run: "On Debian and Ubuntu, in a terminal of the computer where Vibey runs:",
  commands: "Commands for a terminal",
  copy: "Copy the command",
  copyAll: "Copy the commands",
  copied: "Copied.",
  selected: "This browser can’t copy from here. The text is selected: copy it by hand.",
  level: (level: string) => `In the settings this is called: sandbox ${level}.`,
  untried: "Here a command can’t be tried first: you are asked before it runs, and Undo takes back only what an agent’s own edits changed.",
  forgets: "A disk here does not keep the names of files through a power cut: what was written last may be lost by one. Everything else works. Keep copies elsewhere, or move the projects to another disk; the log of the start names it.",
  close: "Close",
};

/** The keys, and what each does. */
export const keys = {
  find: "find or do",
  below: "the next message",
  above: "the message before",
  board: "all dialogs on a board",
  title: "Keys",
  scopes: { everywhere: "Anywhere, outside of texts", dialog: "In a dialog", question: "In a question that you went to", doc: "In a doc" },
  list: "This list",
  new: "New dialog",
  next: "To the next dialog that needs you",
  send: "Send the message",
  stop: "Stop the agent",
  question: "To the question, and back to the message",
  allow: "Allow once",
  deny: "Don’t",
  ask: "Ask about what is selected",
  save: "Save",
  letters: "Single letters act",
  about: "Off, only keys with Ctrl act. This browser keeps it.",
  close: "Close",
  none: "Nothing waits for you here.",
  open: "Keys…",
};

/** What was made: the files of the deed. */
export const made = {
  takes: "This page takes the keyboard, so that what you type would go to it. It is not shown any more.",
  showAgain: "Show it again",
  name: "Made",
  exactly: "What agents and you made: the files of the project’s deed folder",
  empty: "Nothing is made here yet. What agents make in deed/ stands here.",
  choose: "Choose a file to see it.",
  more: "There are more files than are listed here.",
  gone: "This file is not there any more.",
  moved: "The server was started anew and shows it at another address. Load the page again to see it; what you have written is kept.",
  frame: (path: string) => `${path}, as it looks`,
  see: "See it",
};

/** The list of dialogs. */
export const list = {
  of: (project: string) => `Dialogs of ${project}`,
  name: "Dialogs",
  new: "New dialog",
  choose: "Choose a dialog in the list, or start a new one.",
  groups: { needs: "Needs you", reply: "Your turn", writing: "Writing now", finished: "Finished" },
  all: (n: string, group: string) => `Show all ${n} ${group === "finished" ? "finished" : group === "writing" ? "that write" : "that wait"}`,
  news: (name: string, is: string) => (is === status.turn ? `Your turn in ${name}` : `${name} ${is}`),
  needs: "needs you",
  needsYou: (name: string) => `${name} needs you`,
  needYou: (name: string, more: number) => `${name} and ${more} more need you`,
  started: (n: number) => (n === 1 ? "1 that it started" : `${n} that it started`),
  open: (name: string) => `Dialogs that ${name} started`,
  menu: (name: string) => `Menu of ${name}`,
  remove: "Delete…",
  unread: (why: string) => `This list could not be read just now, so it may be old. It is tried again by itself. ${why}`,
};

/** The head of a dialog. */
export const head = {
  page: "Save as a page",
  pageAbout: "One file to read, print or give away, in any browser: all that was said, with what was done folded. It runs nothing.",
  name: "Name of this dialog",
  from: "Started by",
  started: "It started",
  together: "Dialogs that belong together",
  more: (n: number) => `and ${n} more`,
};

/** A dialog that begins as another one did. */
export const fork = {
  menu: "Menu of this message",
  here: "Fork from here",
  about: "A new dialog with all that was said up to here. Nothing runs again, and this one stays as it is.",
  from: "Forked from",
  gone: "a dialog that is not there any more",
  made: "Forked. You are in the new dialog.",
};

/** A title that is written anew in its place. */
export const retitle = {
  pen: "Rename",
  save: "Save",
  tooLong: (n: number, max: number) => `A name has at most ${max} characters; this one has ${n}.`,
  empty: "Write a name, or press Escape to keep the one it has.",
};

/** The question before a dialog is deleted. */
export const remove = {
  title: (name: string) => `Delete ${name}?`,
  what: "Its text is removed from the disk: all that was said and done in it. The docs and files that it made stay.",
  children: (n: number) => (n === 1 ? "The dialog that it started stays, without a link to this one." : `The ${n} dialogs that it started stay, without a link to this one.`),
  asks: "It asks you something. That is not carried out then:",
  never: "This can’t be undone.",
  active: "It is writing. Stop it first, then it can be deleted.",
  keep: "Keep it",
  go: "Delete dialog",
};

/** The form for a new dialog. */
export const create = {
  name: "Write below what you want. The first line is the dialog’s name; you can change it later.",
  hint: "What do you want to exist?",
  dialogs: "Dialogs",
  title: "New dialog",
};

const startIt = "Start it, or look after the network. Then look again.";
const soonAgain = "Wait a little, then look again.";

/** Why a provider's models are not listed: what happened, and what to do. */
export const unlisted = {
  kinds: {
    auth: [(p) => `${p} did not take the key.`, "Store another key below."],
    credit: [(p) => `There is no credit left at ${p}.`, "Add credit there, or choose another provider."],
    rate_limit: [(p) => `${p} asks for a pause: too many requests.`, soonAgain],
    busy: [(p) => `${p} is busy.`, soonAgain],
    network: [(p) => `Nobody answers at the address of ${p}.`, startIt],
    idle: [(p) => `${p} did not answer in time.`, soonAgain],
  } as Record<string, [(provider: string) => string, string]>,
  other: [(p: string) => `${p} did not say which models it has.`, "Its address may be another one than the server was started with: Details tell more."] as [(provider: string) => string, string],
  kept: "Dialogs that are there are kept.",
  byName: "A model whose name you know can be written below.",
  again: "Look again",
  details: "Details",
  none: "It is not known which models there are.",
};

/** What lies in the folder and can't be a doc as it is. */
export const takeIn = {
  name: "In the folder, and no doc",
  go: "Take in",
  as: (name: string, as: string) => `Take in ${name} as ${as}`,
  has: "Its text is in",
  left: "The file in the folder is no longer needed.",
  all: (n: string) => `Show all ${n}`,
};

/** How to come to a model. */
export const connect = {
  none: "No model is connected yet. Connect one.",
  another: "Connect another model",
  stored: "The key is stored on this machine, for its owner's eyes only.",
  ollama: "Without a key: a model on this machine, by Ollama. While Ollama runs, it is found by itself.",
  look: "Look again",
  found: (names: string) => `There is: ${names}.`,
  nothing: "Nothing was found. Start Ollama, then look again.",
  own: "One elsewhere, or any other program that speaks as OpenAI does: start the server with its address.",
  provider: "Provider of the key",
  providers: { claude: "claude (Anthropic)", openai: "openai (OpenAI)" },
  key: "Key",
  store: "Store key",
};

/** The page of projects. */
export const projects = {
  what: "A project is a folder of your pages, of the dialogs with agents who read them, and of what they make.",
  none: "No project yet. Make the first one: a name is enough.",
  waits: (n: number) => (n === 1 ? "1 needs you" : `${n} need you`),
  writes: (n: number) => `${n} writing`,
  changed: (when: string) => `changed ${when}`,
  menu: (name: string) => `Menu of project ${name}`,
  take: "Download a copy",
  scopes: [["docs", "Docs"], ["dialogs", "Docs and dialogs"], ["all", "Everything, with what was made"]] as const,
  without: (n: number) => `${n} ${n === 1 ? "file or folder is" : "files and folders are"} not in this copy. LEFT-OUT.txt in it says which, and why.`,
  restore: "Restore from a copy",
  zip: "The zip that was downloaded",
  restoreGo: "Restore project",
  zipLarge: (mib: number) => `This copy has ${mib} MiB, and a window can hand over 16 at most. On the computer where Vibey runs, this takes it: vibey import FILE NAME. Nothing was done.`,
  folder: "Folder for what is made",
  folderHint: "Where agents build: a folder that exists already, by its whole path. Left empty, the project gets one of its own, called “deed”.",
  disarmed: (n: number) => `Restored. ${n} ${n === 1 ? "setting" : "settings"} of git that would have run a program ${n === 1 ? "was" : "were"} taken out.`,
};

/** The bar on top. */
export const top = {
  skip: "Skip to what is open",
  need: (n: number) => (n === 1 ? "1 needs you" : `${n} need you`),
  needIn: (n: number, project: string) => `${n === 1 ? "1 needs you" : `${n} need you`} in ${project}`,
  next: (project: string) => `next in ${project}`,
  projects: (n: number) => `${n} projects`,
  leads: (name: string) => `Leads to ${name} (U)`,
  board: "Board",
  projectsTab: "Projects",
  find: "Find or do…",
  everything: "All projects",
  parts: "Parts of the project",
  docs: "Docs",
  dialogs: "Dialogs",
  writing: (n: number) => `${n} writing`,
  writes: "writing",
  project: "Project",
  allProjects: "All projects",
  list: "Projects",
};

/** The board. */
export const board = {
  all: "All projects",
  toAll: "Board of all projects",
  count: (needs: number, writing: number, rest: number) => [needs > 0 ? (needs === 1 ? "1 needs you" : `${needs} need you`) : "", writing > 0 ? `${writing} writing` : "", `${rest} at rest`].filter(Boolean).join(" · "),
  none: "No dialog yet.",
  unread: (project: string, why: string) => `The dialogs of ${project} could not be read just now, so they may be old or missing here. They are read again by themselves. ${why}`,
  more: (n: string) => `Show ${n} more`,
  look: "Look",
  lookAt: (name: string) => `Look at ${name}`,
  wrote: (n: number, most: string) => `Its last ${n} answers by their length, the longest with ${most} tokens`,
  asOf: (date: string) => `At the list prices of ${date}, without what a cache saves`,
  from: "from",
};

/** The palette. */
export const palette = {
  name: "Find or do",
  hint: "Find a dialog, a doc, a word; or do something",
  hintAll: "Find a project, or do something",
  results: "What was found",
  nothing: "Nothing of that name.",
  searching: "Searching…",
  more: "There is more. Write more of it to find less.",
  dialogs: "Dialogs",
  docs: "Docs",
  projects: "Projects",
  acts: "Do",
  inDocs: "In docs",
  inDialogs: "In dialogs",
  inTold: "In what agents are told",
  told: (n: number) => `${n} more in what agents are told`,
  newDialog: "New dialog",
  toBoard: "Board",
  toDocs: "Docs",
  toDialogs: "Dialogs",
  toNeedy: "Go to the next that needs you",
  allBoard: "Board of all projects",
  toProjects: "All projects",
};

/** What the system tells while no one looks. */
export const notify = {
  on: "Tell me when something needs me",
  elsewhere: (project: string) => `Something in ${project} needs you`,
  none: "This browser can’t tell of anything by itself.",
  denied: "The browser does not allow it. It is allowed in the browser’s settings for this address.",
};

const runVerb = { pending: "Run", running: "Running", done: "Ran", denied: "Did not run", failed: "Tried to run" };
const changeVerb = { pending: "Change", running: "Changing", done: "Changed", denied: "Did not change", failed: "Tried to change" };
const useVerb = { pending: "Use", running: "Using", done: "Used", denied: "Did not use", failed: "Tried to use" };

/** Why the bytes of a call are shown. */
export const input = {
  notJSON: "This input is not valid JSON. It is shown exactly as it came.",
  notObject: "This input is not an object. It is shown exactly as it came.",
  twice: "This input names something twice. Its exact text is shown below.",
  numbers: "A number in this input is too long to be shown as a number. Its exact text is shown below.",
};

/** What a call would do, and what it did. */
export const calls = {
  file: "a file", files: "files", server: "a server", agent: "an agent", item: "an item", something: "something", page: "a page", tool: "a tool", plan: "the plan", whatToDo: "what to do",
  serverAt: (port: number) => `the server at port ${port}`,
  unknown: (name: string) => `${name} (there is no such tool)`,
  wants: (now: string, object: string) => `wants to ${now.toLowerCase()} ${object}`,
  nothingChanged: "Nothing is changed.",
  deletes: "It deletes files or writes over them, and Undo may not bring them back.",
  deletesKept: "It deletes files or writes over them.",
  run: { question: "Run this command?", wants: "wants to run a command", verb: runVerb },
  start: { question: "Start this server?", wants: "wants to start a server", verb: { pending: "Start", running: "Starting", done: "Started", denied: "Did not start", failed: "Tried to start" } },
  write: { question: (path: string) => `Write ${path}?`, verb: { pending: "Write", running: "Writing", done: "Wrote", denied: "Did not write", failed: "Tried to write" } },
  change: { question: (path: string) => `Change ${path}?`, verb: changeVerb },
  launch: {
    question: "Start another agent?",
    effect: (who: string) => `A new dialog with ${who} begins with this prompt. It gets none of the permissions you gave here.`,
    agent: (name: string) => `A new dialog with ${name} begins with this prompt. ${name} is a program of its own: it works with your rights and the network, and no walls stand around it.`,
    wants: "wants to start another agent",
    verb: { pending: "Start", running: "Starting", done: "Started", denied: "Did not start", failed: "Tried to start" },
  },
  note: {
    question: (about: string) => (about === "" ? "Note this in the plan?" : `Note in the plan: ${about}?`),
    among: { decision: "It goes among the decisions.", task: "It goes among the tasks.", idea: "It goes among the ideas." } as Record<string, string>,
    quotes: (words: string) => `It quotes you${words === "" ? ", as is shown below." : `: “${words}”.`} Allowing it marks the item as confirmed by you.`,
    wants: (title: string) => `wants to note ${title} in the plan`,
    verb: { pending: "Note in the plan:", running: "Noting in the plan:", done: "Noted in the plan:", denied: "Did not note in the plan:", failed: "Tried to note in the plan:" },
  },
  mail: {
    question: (to: string) => `Send this message to the agent of ${to}?`,
    effect: "It is put into that dialog, and may let its agent work on. It gives no permission there.",
    verb: { pending: "Write to", running: "Writing to", done: "Wrote to", denied: "Did not write to", failed: "Tried to write to" },
  },
  agents: "the agents",
  read: { question: (path: string) => `Read ${path}?`, verb: { pending: "Read", running: "Reading", done: "Read", denied: "Did not read", failed: "Tried to read" } },
  list: { question: "List files?", verb: { pending: "List", running: "Listing", done: "Listed", denied: "Did not list", failed: "Tried to list" } },
  search: { question: "Search the files?", verb: { pending: "Search", running: "Searching", done: "Searched", denied: "Did not search", failed: "Tried to search" } },
  look: { ask: "Look at", effect: "A browser opens it behind walls, and tells the agent what stood there and what went wrong.", verb: { pending: "Look at", running: "Looking at", done: "Looked at", denied: "Did not look at", failed: "Tried to look at" } },
  askAbout: { ask: "Take a picture of", effect: "A browser opens it behind walls and takes a picture, which you are asked about.", verb: { pending: "Ask you about", running: "Asking you about", done: "Asked you about", denied: "Did not ask you about", failed: "Tried to ask you about" } },
  question: (ask: string, object: string) => `${ask} ${object}?`,
  logs: (server: string) => `Read what ${server} wrote?`,
  stop: { question: (server: string) => `Stop ${server}?`, effect: "What is stored stays.", verb: { pending: "Stop", running: "Stopping", done: "Stopped", denied: "Did not stop", failed: "Tried to stop" } },
  propose: { question: "Take this proposal?", verb: { pending: "Propose", running: "Proposing", done: "Proposed", denied: "Did not propose", failed: "Tried to propose" } },
  use: { question: (tool: string) => `Use ${tool}?`, effect: "Its exact input is shown below.", verb: useVerb, missing: { pending: "Use", running: "Using", done: "Tried to use", denied: "Did not use", failed: "Tried to use" } },
  mainAsks: "Changes to main always ask.",
  commandsAsk: "Commands always ask here: there is no sandbox.",
  agentsAsk: "Starting an agent that is a program of its own always asks.",
};

const agentsVerb = { pending: "Do", running: "Doing", done: "Did", denied: "Did not do", failed: "Tried to do" };

/** Calls that another program carries out: an agent over ACP, or an MCP server. */
export const foreign = {
  itself: "The agent’s own program does this, with your rights and the network. What is shown here is its word for it.",
  deletes: "It deletes files or writes over them, and Undo can’t bring them back.",
  something: "something",
  files: (paths: string[]) => (paths.length === 1 ? paths[0]! : plural(paths.length, "file")),
  kinds: {
    read: "its own reading", edit: "its own changes to files", delete: "its own deleting", move: "its own moving of files", search: "its own searching", execute: "its own commands",
    think: "its own thinking", fetch: "its own fetching from the network", switch_mode: "changing how it works", other: "other things that it does itself",
  } as Record<string, string>,
  run: { question: "Let it run this command?", wants: "wants to run a command", verb: runVerb },
  change: { question: (path: string) => `Let it change ${path}?`, wants: (path: string) => `wants to change ${path}`, verb: changeVerb },
  act: { question: (title: string) => `Let it do this: ${title}?`, wants: (title: string) => `wants to do this: ${title}`, verb: agentsVerb },
  use: {
    question: (tool: string) => `Use ${tool}?`,
    effect: "A program that you added does this (an MCP server). Its exact input is shown below.",
    wants: (tool: string) => `wants to use ${tool}`,
    verb: useVerb,
  },
  always: { acp: (what: string) => what, mcp: (tool: string) => `using ${tool}` },
  unasked: "done without asking you",
  within: "a part of what you allowed",
  title: "What it calls this",
  where: "Where",
  shows: "What it says of it",
  more: "More that it says",
  ownInput: "Its own input",
  own: (name: string) => `Its own input: ${name}`,
  member: (name: string, value: string) => `${name}: ${value}`,
  data: "Data",
  note: "What was left out",
  file: (type: string, size: string, path: string) => `${type || "A file"}, ${size}: ${path}`,
  failed: "It says that this failed.",
};

/** The parts of a call's input. */
export const parts = {
  input: "Exact input",
  prompt: "Its prompt",
  message: "The message",
  why: "Why",
  moreLines: (n: number) => plural(n, "more line"),
  moreChars: (n: number) => `${number(n)} more characters`,
  lines: line,
  less: "Show less",
  all: (more: string, size: string) => `${more} · show all ${size}`,
};

/** What changed, line by line. */
export const changes = {
  name: "change",
  lines: "changed lines",
  sign: { same: "", del: "removed: ", add: "added: " },
  end: "The line break at the end changes.",
  less: "Show less",
  changesOnly: "Show changes only",
  full: "Show full diff",
  same: (n: number) => (n === 1 ? "1 line unchanged" : `${number(n)} lines unchanged`),
  sameProse: (n: number) => (n === 1 ? "1 paragraph unchanged" : `${number(n)} paragraphs unchanged`),
  words: { del: ["removed: “", "” "], add: ["added: “", "” "] },
  lineBreak: "line break",
};

/** How a call ended. */
export const outcome = {
  result: "Result",
  output: "Output",
  errors: "Errors",
  told: "What the agent was told",
  refused: {
    budget: "Not run: no steps were left",
    phase: "Not run: it has to propose first",
    recovery: "Not run: this turn was over",
  } as Record<string, string>,
  notFit: "Not run: what the agent sent did not fit. It was told.",
  triedAllowed: "tried first, then allowed",
  triedNothing: "tried first: it changed nothing",
  triedDenied: "tried first; you said no, and nothing of it was kept",
  triedVerb: "Tried",
  stayed: (path: string) => `${path} was changed by somebody meanwhile: it stayed as it was.`,
  notKept: (path: string, why: string) => `${path} was not kept: ${why}.`,
  before: (path: string) => `Nothing was changed: another change of this dialog came first, and ${path} was not as you had seen it any more.`,
  stale: (path: string) => `Nothing was changed: ${path} has changed since the agent last saw it. The agent was told so.`,
  nowhere: (path: string) => `Nothing was changed: the words to be replaced do not stand in ${path} any more.`,
  exitCode: (code: number, last: string) => `Exit code ${code}${last === "" ? "" : `: ${last}`}`,
};

/** Characters that would be invisible. */
export const hidden = {
  unknown: "unknown character",
  title: (name: string) => `hidden character: ${name}`,
  label: (name: string, code: string) => `hidden character ${name} ${code}`,
  drawn: (n: number) => `${plural(n, "hidden character")}, drawn where ${n === 1 ? "it stands" : "they stand"}.`,
};

/** Why a turn failed: what happened, what is safe, and what to do. */
export const failures = {
  kinds: {
    auth: { title: "The provider did not take the key.", detail: "Check the key, or store another one under New dialog. Nothing that was written is lost.", again: true },
    credit: { title: "There is no credit left at the provider.", detail: "Add credit or choose another model below. Nothing that was written is lost.", again: true },
    rate_limit: { title: "The provider asks for a pause: too many requests.", detail: "Wait a little, then try again. Nothing that was written is lost.", again: true },
    busy: { title: "The provider is busy.", detail: "It was asked several times. Try again in a moment; nothing that was written is lost.", again: true },
    too_long: { title: "This dialog is too long for the model.", detail: "Choose a model with a larger window below, or start a new dialog. Everything stays readable here." },
    not_found: { title: "The provider does not know this model.", detail: "Choose another model below.", again: true },
    bad_request: { title: "The provider refused the request.", detail: "Its own words are in Details. The dialog is kept as it stands.", again: true },
    network: { title: "Nobody answered at the provider's address.", detail: "Is it running, and is there a network? Nothing that was written is lost.", again: true },
    cut: { title: "The answer broke off.", detail: "What came is kept above, marked as interrupted.", again: true },
    idle: { title: "The provider fell silent.", detail: "It was cut off after waiting. What came is kept above.", again: true },
    malformed: { title: "The provider's answer could not be read.", detail: "Its own words are in Details. What came before is kept.", again: true },
    conflict: { title: "The dialog's file was changed by someone else meanwhile.", detail: "Both texts are kept. Read it again before you go on.", again: true },
    disk: { title: "The dialog could not be written to the disk.", detail: "What was written before is safe. Make room or repair the disk, then go on.", again: true },
    deleted: { title: "The project was deleted, and this dialog with it.", detail: "Nothing of it runs any more." },
    gone: { title: "The file of this dialog is not there any more.", detail: "It was moved or deleted while it ran. Details tell more." },
    offline: { title: "The server does not answer.", detail: "What you see is kept on its disk as far as it was shown. It is asked again by itself.", again: true },
  } as Record<string, { title: string; detail: string; again?: boolean }>,
  unknown: "Something went wrong.",
  kept: "What was written is kept.",
  again: "Try again",
  resume: "Continue",
  details: "Details",
  whatNow: "What now",
};

/** What the program says in a dialog. */
export const notes = {
  letGoOn: "You let it go on",
  committed: (sha: string) => `Committed ${sha}`,
  notCommitted: "Not committed",
  notChecked: "Not checked",
  summaryUndone: "A summary was undone: the agent reads those turns again",
  problem: "Problem",
  note: "Note",
  names: { picture: "Pictures", plan: "Plan", codebase: "Codebase", project: "Project", control: "Control", conflict: "Conflict", budget: "Budget", "doc-change": "A doc changed", title: "Named", handover: "New session", mcp: "Tools", effect: "A server changed files" } as Record<string, string>,
  askedToGoOn: "Asked the agent to go on",
  reminded: "Reminded the agent to say what it does",
  left: (rounds: string) => `Told the agent that ${rounds} steps are left`,
  warned: "Warned the agent",
  anotherWay: "Told the agent to take another way: its calls kept failing",
  sayWhatWasDone: "Asked the agent to say what was really done",
  sentBack: "Sent the answer back: what was changed is not checked yet",
  deedHolds: "Told the agent what the deed holds",
  callsAsUsual: "Told the agent to call its tools as usual",
  callsHere: "Told the agent how to call its tools here",
  tookBack: "You took back changes, and the agent was told",
  planSays: "Told the agent what the plan says",
  session: (agent: string) => `${agent || "The agent"} began a session`,
  attached: "Files that your editor put beside the message",
  mail: "Message from the agent of",
  mailOfDone: "has finished. Its last words:",
  mailOfStopped: "stopped before it was finished. It said last:",
  nothingChecked: "Files were changed, and nothing checked them after that.",
  checkFailed: "Files were changed, and the check did not succeed after that.",
  checkMessage: (check: string) => (check === "" ? "Please check now what you changed, and mend what it shows." : `Please run the check now: \`${check}\`, and mend what it shows.`),
  unbacked: (claims: string) => `No result shows this: ${claims || "what the answer says was done"}`,
  askToCheck: "Ask it to check",
  noRoom: "This browser has no room left to keep the message, so it was not sent.",
  resume: "Continue",
  whatNow: "What now",
};

/** Where a turn stands. */
export const stands = {
  phases: { recon: "Look", checkpoint: "Propose", execute: "Make", verify: "Check", final: "Report" },
  proposed: "Proposal made",
  rounds: (used: number, limit: number) => `${used} of ${plural(limit, "step")}`,
  stops: {
    budget: "Stopped: it used all its steps",
    loop: "Stopped: it went in circles",
    mistakes: "Stopped: its calls kept failing",
  } as Record<string, string>,
  ledger: (read: number, changed: number) => (read === 0 ? `Files changed ${changed}` : changed === 0 ? `Files read ${read}` : `Files read ${read} · changed ${changed}`),
  deleted: "deleted",
  name: "Where it stands",
  allPhases: "Phases",
  done: ", done",
  notDone: ", not done",
  notChecked: "Not checked",
  files: "Files of this dialog",
  changed: "Changed",
  read: "Read",
  hash: (sha256: string) => `sha256 ${sha256}`,
};

/** The entries of the column of a dialog. */
export const items = {
  on: (file: string, lines: string) => `On ${file}${lines === "" ? "" : lines.includes("-") ? `, lines ${lines.replace("-", "–")}` : `, line ${lines}`}`,
  onPassage: "On this passage",
  torn: "Torn by a crash: this counts for nothing",
  merged: "Left by a merge of two versions: this counts for nothing, and reaches no model",
  thinking: "Thinking",
  system: "What this agent was told",
  oldSummary: "Summary of earlier turns, which counts no more",
  void: "This permission is not as it was given here. It allows nothing, and ended what was always allowed above it.",
  allows: (project: boolean, what: string[]) => `always ${project ? "allows" : "allow"} ${what.join(", ")} in this dialog`,
  denies: (project: boolean, what: string[]) => `never ${project ? "allows" : "allow"} ${what.join(", ")} in this dialog`,
  asks: (project: boolean, what: string[]) => `${project ? "wants" : "want"} to be asked about ${what.join(", ")} again`,
  tries: (project: boolean) => `${project ? "wants" : "want"} commands tried first`,
  by: (project: boolean, what: string[]) => `${project ? "The project" : "You"} ${what.join("; ")}`,
  you: "You",
  program: "Another program (over MCP)",
  agentOf: (dialog: string) => `The agent of ${dialog}`,
  permission: "Permission",
  sending: "sending",
  interrupted: "Interrupted here.",
  limit: "The model's limit for one answer was reached here.",
  refusal: "The model declined to go on.",
  stopped: (why: string) => `Stopped: ${why}.`,
};

/** Why a call ran, or did not. */
export const whyRan = {
  never: "never allowed here",
  free: "needs no permission",
  denied: "you said no",
  once: "you allowed it once",
  project: "allowed by the project",
  always: "always allowed here",
};

/** Messages that wait to be sent. */
export const queue = {
  asks: "It goes out when you have answered the question above.",
  works: "It goes out when this turn is finished.",
  stopped: "The agent stopped on the way, so this was kept.",
  later: "It goes out after the one above.",
  unknown: "It goes out when it is known how the dialog stands.",
  going: "It is going out.",
  heldWithOne: "The one before it was taken back, so this was kept.",
  list: "Next messages",
  again: "Try again",
  sendNow: "Send now",
  takeBack: "Take back",
};

/** What happens to a message on its way out. */
export const sending = {
  justOut: "It went out just now.",
  isAbove: "It had gone out: it is above.",
  notTakenBack: "This browser has no room left, so nothing was taken back.",
  fileChanged: "The dialog's file was changed meanwhile. Look above: it may have gone out before.",
  noRoom: "This browser has no room left.",
  notSent: (why: string) => `It was not sent. ${why}`,
  notKnown: "The server did not answer, so it is not known whether this went out. Try again looks first, and sends nothing twice.",
};

/** How a dialog stands, in a word, and what it wants, in a line. */
export const status = {
  writing: "writing",
  finished: "finished",
  needs: "needs you",
  turn: "your turn",
  asks: "asks for your permission",
  stopped: "stopped before it was through",
  silent: "nothing was said yet",
  begins: "has not written anything yet",
} as const;

/** What the window says where the server refuses, or does not answer. */
export const server = {
  silent: "The server does not answer. Nothing was changed; try again when it runs.",
  code: "The server wants the code again.",
  docThere: "There is a doc of that name already.",
  gone: "It is not there any more.",
  changed: "Something changed since you looked.",
  tooMuch: "That is more than the server takes at once (16 MiB).",
  failed: "The server could not do it. Nothing was changed.",
  refused: (status: number) => `The server refused (${status}).`,
};

/** The names of models. */
export const names = {
  recording: (name: string) => `recorded: ${name}`,
  agent: "agent",
  agents: "agents (acp)",
  replay: "a recorded example",
};

/** The forms that make, restore and delete a project. */
export const projectForms = {
  title: "Projects",
  new: "New project",
  again: "Try again",
  remove: (name: string) => `Delete project ${name}`,
  removeShort: "Delete",
  cancel: "Cancel",
  newTitle: "Project title",
  name: "Project name",
  called: "It will be called",
  create: "Create project",
  folderExactly: "Called “deed” in the project",
  optional: "(optional)",
  folderExample: "/home/you/game",
  removeTitle: (name: string) => `Delete ${name}?`,
  removeFolder: "The folder of",
  removeWith: (what: string) => `is removed from the disk, with ${what}. What was made in its own folder goes too; a folder elsewhere, that it only links to, stays.`,
  holds: (docs: number, dialogs: number, live: number) => `${plural(docs, "doc")} and ${plural(dialogs, "dialog")}${live > 0 ? `. ${plural(live, "agent")} working there ${live === 1 ? "is" : "are"} stopped first` : ""}`,
  holdsAll: "all its docs and dialogs",
  never: "This can’t be undone.",
  keep: "Keep it",
  removeGo: "Delete project",
};

/** The list of docs. */
export const docList = {
  name: "Docs",
  new: "New doc",
  unsaved: "Unsaved changes",
  unsavedToo: ", unsaved",
  remove: (title: string) => `Delete doc ${title}`,
  removeShort: "Delete",
  choose: "Choose a doc in the list.",
  leads: "leads: every agent reads it first.",
  none: "No doc is chosen.",
  docTitle: "Title",
  create: "Create doc",
  cancel: "Cancel",
  removeTitle: (title: string) => `Delete ${title}?`,
  removeFile: "The file",
  removed: (leads: boolean) => `is removed from the disk${leads ? ". It leads the project: agents will have nothing to go by" : ""}. This can’t be undone.`,
  keep: "Keep it",
  removeGo: "Delete doc",
};

/** What the doc that leads lets agents do. */
export const rules = {
  parts: { may: "What agents may do", spend: "What they may spend", check: "What checks their work" },
  usual: "Usual settings",
  name: "Rules of this project",
  saved: "This is what the saved text says. What you are writing counts once it is saved.",
  line: (n: number) => `line ${n}`,
  noEffect: "Lines without effect",
  notKnown: "These lines say nothing that is known here",
  wish: "Permissions for new dialogs",
  confirmed: "You confirmed this: it holds in each new dialog",
  confirmWish: "Confirm these permissions for new dialogs?",
  empty: "It is empty: nothing is allowed by it.",
  confirm: "Confirm",
  saveFirst: "Save the text first, then confirm what it says.",
  until: "Until you confirm it, it allows nothing. If you edit these lines, you must confirm again. Dialogs that are there already stay as they are.",
};

/** The plan of a project. */
export const plan = {
  name: "Tentative items",
  wait: (n: number) => `${plural(n, "item")} of a model ${n === 1 ? "waits" : "wait"} for your word`,
  saveFirst: "Save the text first, then confirm what it says.",
  kinds: { Decision: "Decision", Task: "Task", Idea: "Idea" },
  confirm: "Confirm",
  confirmOne: (title: string) => `Confirm ${title}`,
  more: (n: number) => `${plural(n, "more line")} ${n === 1 ? "is" : "are"} like these.`,
  noItems: "These lines look like items of the plan, and are none",
  noItem: "this is no item of the plan; write - **Title**: what is chosen (why: the reason)",
};

/** The card that asks. */
export const asking = {
  tooSoon: "Nothing was decided: the question had only just come, or moved. Look, and do it again.",
  unread: "Read to the end to allow it.",
  typedOn: "Too quick. Nothing was decided; press the key again.",
  openFirst: (left: string) => `Open the ${left} first: you allow all of it.`,
  allSeen: "All of it was in view.",
  notSeen: "Not all of it was in view.",
  allowAll: (lines: number) => `Allow all ${line(lines)}`,
  allowEach: (n: number) => `Allow all ${n}`,
  allowNone: "Don’t allow any",
  eachFirst: "Each must have been in view.",
  readOn: "Read on",
  needed: (questions: string[]) => `${questions.length === 1 ? "Permission needed" : `${questions.length} permissions needed`}: ${questions.join(" ")}`,
  atOnce: (n: number) => `${plural(n, "question")} at once`,
  tool: "It is the tool",
  ofServer: "of the MCP server",
  readOnly: "The server says that it changes nothing; nothing checks that.",
  says: "It says:",
  exactInput: "Exact input",
  hash: (sha256: string) => `sha256 ${sha256}`,
  answer: "Your answer",
  answers: "Your answers",
  once: "Allow once",
  deny: "Don’t",
  tellWhy: "Tell it why…",
  denyAndSay: "Don’t, and say",
  denyAll: (n: number) => `Don’t do any of the ${n}, and say`,
  send: (n: number, of: number) => (n === 0 || n === of ? "Send answers" : `Send ${n} of ${of} answers`),
  sendNo: (n: number) => (n === 1 ? "Send, and don’t do the other one" : `Send, and don’t do the other ${n}`),
  alsoNo: (n: number) => `This also says Don’t to the ${plural(n, "question")} that ${n === 1 ? "is" : "are"} still open.`,
  sendSay: "Send answers, and say",
  whyNot: "Why not",
  instead: "What it should do instead",
};

/** What an agent says before it changes anything. */
export const checkpoint = {
  name: "Checkpoint",
  before: "Before it changes anything",
  goal: "Goal",
  found: "Found",
  proposes: "Proposes",
};

/** A call in one line. */
export const tool = {
  states: { done: "done", running: "running", denied: "denied", failed: "failed" },
  leftOpen: "Left open:",
  open: (name: string) => `Open ${name}`,
  openPlan: "Open the plan",
  result: "Result",
  details: "Details",
};

/** Turns that a summary stands for. */
export const summary = {
  shorter: (first: number, last: number) => `The agent now reads a short version of ${first >= last ? `turn ${last}` : `turns ${first}–${last}`}`,
  asWas: (first: number, last: number) => (first >= last ? `Turn ${last} as it was` : `Turns ${first}–${last} as they were`),
  name: "This summary",
  stopFirst: "Stop the agent first.",
  readsAgain: "The agent reads these turns again.",
  undo: "Undo",
  inPlace: "What the agent reads in their place",
};

/** The picture of a page. */
export const picture = {
  of: (page: string) => `Picture of ${page}`,
  again: "Try again",
  loading: "Loading the picture…",
  larger: "Show it larger",
  title: "The page as the browser saw it",
  whole: "The whole picture",
  close: "Close",
  unreadable: "The picture can't be shown.",
  gone: "The picture is no longer kept.",
};

/** The message box. */
export const composer = {
  noRoom: "This browser has no room left to keep the message, so it was not sent. It is still in the box.",
  asks: "Write on: it goes out when you have answered above.",
  works: "Write on: it goes out when this turn is finished.",
  wakes: "Write here to wake this dialog.",
  write: "Write here what you want.",
  name: "Message",
  toQuestion: "to the question",
  send: "Send",
};

/** Pictures and files of docs and messages. */
export const added = {
  choose: "Add a picture or file",
  files: "Files of this message",
  adding: (name: string) => `Adding ${name}…`,
  added: (name: string) => `Added ${name}`,
  remove: (name: string) => `Remove ${name}`,
  removed: (name: string) => `Removed ${name}`,
  again: "Try again",
  open: (name: string) => `Show ${name} whole`,
  keep: (name: string) => `Download ${name}`,
  noName: "file",
  still: (name: string) => `${name} is still being added. Send again when it is there, or remove it.`,
  first: (name: string) => `${name} was not added, so nothing was sent. Try again, or remove it.`,
  tooLarge: (name: string) => `${name} was not added: it has more than 20 MB. Make it smaller, or put it into the folder of what is made.`,
  wrongType: (name: string) => `${name} was not added: it is no picture, PDF or text that can be read here. Save it as PNG, JPEG or PDF, and add that.`,
  badName: (name: string) => `${name} was not added: its name has no letter or digit, or it is empty. Give it another name, and add it again.`,
  notAdded: (name: string, why: string) => `${name} was not added. ${why}`,
  unreadable: "It can’t be read: it is a folder, or it was moved. Choose the file again.",
  nothingIn: "It is empty.",
  leftBehind: (name: string) => `${name} is kept, but the doc that you put it into was closed before it was there. Open the doc, and put it in again.`,
  unseen: (name: string, why: string) => `The model was not shown ${name}: ${why}.`,
  why: {
    unseen: "it is not known to see pictures",
    gone: "the file is not there any more",
    another: "the file was changed since it was added",
    not: "it is no picture that a model can be shown",
    older: "too many pictures came after it",
  } as Record<string, string>,
  whyNot: "it could not be",
  noMore: (name: string, why: string) => `From here on the model is not shown ${name}: ${why}.`,
};

/** Who answers. */
export const picker = {
  provider: "Provider",
  model: "Model",
  itsName: "its name",
};

/** Where a project has no dialog yet. */
export const empty = {
  nothing: "Nothing here yet. Write in",
  then: "what you want to exist, then start a dialog.",
  example: "For example (it is put into main, and not saved before you say so):",
  examples: [
    ["A little game", "## What I want\n\nA tic-tac-toe for the browser, in one page, that is a pleasure to lose against. Two agents should work on it: one draws, one builds.\n"],
    ["A book of recipes", "## What I want\n\nMy grandmother's kitchen as a small book: one page a dish, a list of what to buy, and a short story before each. Ask me for the dishes.\n"],
    ["A letter with sources", "## What I want\n\nA letter to the city about the trees in our street: two pages, calm, with every claim backed by a source that I can open.\n"],
  ] as [string, string][],
};

/** Where a browser is let in by a code. */
export const login = {
  why: "This window needs a code once. It stands at the end of the address that the server printed when it started.",
  code: "Code",
  open: "Open",
  fresh: "A fresh one:",
  silent: "The server does not answer. Is it still running?",
  refused: "This code was used already, or is not right. Get a fresh one with: vibey login",
};

/** Text that agents write. */
export const rich = {
  done: "done",
  toDo: "to do",
  imageAt: (host: string, alt: string) => `Image at ${host}${alt === "" ? "" : `: ${alt}`}`,
};

/** What the window says where a dialog changed meanwhile. */
export const deciding = {
  changed: (file: boolean) => `${file ? "The file" : "Something"} changed since you looked, so nothing was done. This is how it stands now.`,
  leftOut: (lines: string[]) => `Not understood, and left out: ${lines.join(" · ")}`,
};

/** What a screen reader is told of what the human did, and what came of it. */
export const told = {
  sent: "Sent.",
  decided: (yes: number, no: number) => (yes + no === 1 ? (yes === 1 ? "Allowed." : "Not allowed.") : no === 0 ? `Allowed: ${yes}.` : yes === 0 ? `Not allowed: ${no}.` : `Allowed: ${yes}. Not allowed: ${no}.`),
  call: (verb: string, object: string) => `${verb} ${object}.`,
  created: (name: string) => `${name} was created.`,
  place: (title: string, line: string) => `${title}: ${line}`,
};

/** Money. */
export const money = {
  under: (dollars: string) => `under ${dollars}`,
};
