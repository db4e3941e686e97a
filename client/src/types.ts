// The JSON of the server. Names and shapes are those of vibey/vibey/doc-main.md, "The
// contract for programs"; a field with "?" may be missing.

export type Status = "active" | "waiting" | "done";
export type Needs = "approval" | "reply" | "continue" | "none";
export type Role =
  | "User"
  | "Assistant"
  | "Tool Request"
  | "Tool Result"
  | "Authorization"
  | "System"
  | "Reasoning"
  | "Note"
  | "Summary"
  | "Hole";

/** Tokens as the provider counted them, 0 where it told none; ms is wall-clock time. */
export interface Resources {
  in: number;
  out: number;
  total: number;
  tools: number;
  ms: number;
  cached?: number;
  written?: number;
  reasoning?: number;
}

export interface Payload {
  type: string;
  text: string;
}

/** One "## Role" of a dialog file. `time` is "start - end"; `meta` holds all other lines. */
export interface Section {
  role: Role;
  id: string;
  time: string;
  resources: Resources;
  meta?: Record<string, string>;
  payloads?: Payload[];
  html?: string;
  /** A crash cut it off, or lost what stood here: it is shown, and has no effect. */
  torn?: boolean;
  /** it ended every allow above it, because it is not an Authorization as a human gave it */
  void?: boolean;
}

/** The file that a call would write, as it stands now. sha256 is missing where there is none, or where it is too large. */
export interface FileTarget {
  path: string;
  sha256?: string;
  exists: boolean;
  bytes: number;
  /** the call would be refused: its dialog was last told of another file there */
  stale?: boolean;
  /** of a tried command: what others changed meanwhile, which stays as it is */
  conflicts?: Conflict[];
}

/** A path that what a tried command did would not be put to. */
export interface Conflict {
  path: string;
}

/** What a tried command did, all of it: it waits, and nothing of it counts before a human allows it. */
export interface Tried {
  sha256: string;
  changes: FileChange[];
  exitCode: number;
  stdout: string;
  stderr: string;
  /** its bytes are kept on this machine alone */
  held?: boolean;
}

/** A path that is not as it was. before and after are hashes, of a link's target too; the mode is octal, "755"; bytes are a file's. */
export interface FileChange {
  path: string;
  kind: "added" | "changed" | "deleted";
  type: "file" | "link" | "folder";
  before?: string;
  after?: string;
  mode?: string;
  bytes?: number;
}

/** The answer of GET target. Content is absent where there is no file, and where it is not text or larger than 5 MiB. */
export interface TargetFile {
  path: string;
  sha256?: string;
  exists: boolean;
  content?: string;
}

/** A call that waits for a human. `inputText` is the exact bytes that sha256 is over. */
export interface Call {
  id: string;
  tool: string;
  input: unknown;
  inputText: string;
  sha256: string;
  description?: string;
  target?: FileTarget;
  server?: ServerTool;
  effect?: Tried;
}

/** A tool as its MCP server calls it. readOnly: the server says that it changes nothing, which is not checked. */
export interface ServerTool {
  name: string;
  tool: string;
  readOnly?: boolean;
}

/** One line of the list of dialogs. The fields after mtime are there where the server knows them. */
export interface DialogInfo {
  dialogId: string;
  status: Status;
  needs: Needs;
  filename: string;
  mtime: string;
  provider?: string;
  model?: string;
  /** as it was given, or the first line of the first message; may be empty */
  title?: string;
  /** what it wants, or its last words, as the server tells it: one line without marks, may be empty */
  words?: string;
  /** the dialog that launched it */
  from?: string;
  fork?: ForkOrigin;
  /** a second file of the same dialog: it takes no request until one is gone */
  other?: string;
  tokens?: Tokens;
  /** the tokens of each of its last answers, the oldest first, as long as it is not done */
  wrote?: number[];
  /** where the price of each of its models is known */
  cost?: Cost;
  /** when its state began, as far as this window saw it; "" where it did not */
  since?: string;
}

/** What one call made of one file. Of the hashes "" is no file. */
export interface CallChange {
  call: string;
  path: string;
  /** as the call left it, as it was before, and as it is now */
  sha256: string;
  replaced: string;
  now: string;
  /** the permissions that the call left and those that it found, in octal; without either they are those of a new file, without both as they were */
  mode?: string;
  modeWas?: string;
  /** the undo that took it back */
  taken?: string;
  /** why there are no hunks, within a sentence */
  why?: string;
  /** why nothing of it can be taken back here */
  stays?: string;
  hunks: ChangeHunk[];
}

/** The lines `from` to `to` of the file, as the call left it, in whose place `old` stood from line `was` on. `to` is `from` - 1 where lines were only taken out. */
export interface ChangeHunk {
  from: number;
  to: number;
  was: number;
  old: string[];
  new: string[];
  /** up to three lines around it, each once */
  above: string[];
  below: string[];
  /** where the first of `above` and `new` begins in that file */
  byte: number;
  taken?: string;
}

/** Where a dialog was forked from: another one, and the section at whose end. */
export interface ForkOrigin {
  dialogId: string;
  at: string;
}

/** Tokens that models read and wrote, as they counted them. */
export interface Tokens {
  in: number;
  out: number;
}

/** What tokens cost at the list prices of that day, without what a cache saves. */
export interface Cost {
  usd: number;
  asOf: string;
}

/** How many dialogs of a project wait for a decision or a Continue, and how many work. */
export interface ProjectNeeds {
  name: string;
  waiting: number;
  active: number;
  /** when a file of it came, went or was replaced */
  changed?: string;
  /** what people call it, where that is not its name */
  title?: string;
}

/** A doc or a project by its name, with what people call it. */
export interface Titled {
  name: string;
  title: string;
}

/** A dialog as GET gives it, whole or a window of its sections. */
export interface DialogView {
  dialogId: string;
  status: Status;
  needs: Needs;
  filename: string;
  /** as the list has it */
  title?: string;
  markdown?: string;
  sections: Section[];
  /** the number of the first of them, and how many there are in all */
  from?: number;
  total?: number;
  /** the position behind all of them, for the live stream */
  at?: string;
  pending: Call[] | null;
  provider?: string;
  model?: string;
  /** the model that answered until a message named another */
  began?: string;
  governor?: Governor;
}

/** What the governor says of a dialog as it stands. */
export interface Governor {
  intent: string;
  budget: Budget;
  phase?: string;
  label?: string;
  unverified?: boolean;
  /** budget, loop or mistakes */
  stopped?: string;
  ledger: Ledger;
  covers: Cover[];
}

/** Rounds that a message has used of those that it may. */
export interface Budget {
  used: number;
  limit: number;
}

/** Which files the results say were read and modified. */
export interface Ledger {
  read: LedgerFile[];
  modified: LedgerFile[];
}

/** sha256 is "" where the file is gone. */
export interface LedgerFile {
  path: string;
  sha256: string;
}

/** A range of sections for which a Summary stands, by their ids. */
export interface Cover {
  from: string;
  to: string;
  by: string;
}

/** What doc-main.md says of how agents work. */
export interface ProjectRules {
  rules: Rule[];
  problems: LineProblem[];
  wish?: Wish;
}

/** One rule in plain words. Without a line it is what holds where the doc is silent. */
export interface Rule {
  name: string;
  value: string;
  line?: number;
  about: "may" | "spend" | "check";
  text: string;
}

export interface LineProblem {
  line: number;
  text: string;
}

/** The control block of doc-main.md. Confirmed, it holds in each new dialog. */
export interface Wish {
  lines: WishLine[];
  confirmed: boolean;
  etag: string;
}

export interface WishLine {
  line: string;
  text: string;
  known: boolean;
}

export interface NewDialog {
  dialogId: string;
  filename: string;
  status: Status;
  provider: string;
  model: string;
}

/** A passage of a doc, or of a text file of the deed, with that hash: from and to are bytes. */
export interface Passage {
  file: string;
  sha256: string;
  from: number;
  to: number;
}

/** What POST dialog takes. */
export interface Start {
  provider: string;
  model?: string;
  title?: string;
  prompt: string;
  on?: Passage[];
}

/** What PUT dialog takes; dialogId is added by the caller. */
export interface Change {
  status?: "waiting" | "done";
  prompt?: string;
  on?: Passage[];
  control?: string;
  seen?: string;
  continue?: boolean;
  compact?: boolean;
  title?: string;
  provider?: string;
  model?: string;
  intent?: string;
}

/** What PUT dialog answers where nothing runs. */
export interface Changed {
  dialogId: string;
  status: Status;
  needs: Needs;
  filename: string;
  pending?: Call[] | null;
  ignored?: string[] | null;
}

export interface Doc {
  name: string;
  content: string;
  etag: string;
}

export interface Model {
  id: string;
  window?: number;
  in?: number;
  out?: number;
  asOf?: string;
}

export interface Provider {
  provider: string;
  api: string;
  models: Model[] | null;
  /** why there is no list, and the kind of error, where the provider is at fault */
  error?: string;
  kind?: string;
}

export interface Health {
  version: string;
  sandbox: string;
  /** Why no stronger level holds, and what to do about it. */
  sandboxWhy?: string;
  /** The commands of a shell that change that, a line each, where they are known. */
  sandboxRemedy?: string;
  /** false where a power cut may take what was acknowledged: the disk does not sync folders. */
  durable?: boolean;
  /** true where a command can be tried: what it changes is kept apart until it counts */
  layers: boolean;
  welcome?: Welcome;
}

/** The dialog of the first-run project, where a first visit begins. It is absent once something else was begun. */
export interface Welcome {
  project: string;
  dialogId: string;
}

/** A file that a result of run_command, or of an MCP server's tool, says was changed: its hash, "" where it is gone; replaced is what stood there before, "" for nothing, where that is certain. Modes are octal, "755": told where they differ or, of a file made or removed, where it is not that of any new file. */
export interface FileHash {
  path: string;
  sha256?: string;
  link?: string;
  bytes?: number;
  deleted?: boolean;
  replaced?: string;
  /** what the symbolic link led to that stood there */
  replacedLink?: string;
  mode?: string;
  replacedMode?: string;
}

/** What came of an undo: files with the hash that they have now, "" where there is none any more, or the id of a Summary. The same, without that id, is the note/json of its Note. */
export interface Undone {
  undone: UndoneItem[];
  refused: RefusedFile[];
}

export interface UndoneItem {
  path?: string;
  sha256?: string;
  id?: string;
}

/** A file that an undo left as it is, or could not put back all the way; why is a sentence without its full stop. */
export interface RefusedFile {
  path: string;
  why: string;
}

/** What POST undo is sent: the id of a call, of the Note of an undo or of a Summary; or, for all calls of a turn, that of its User section. */
export interface UndoRequest {
  dialogId: string;
  id?: string;
  turn?: string;
  /** a part of the call: lines of the file as it left it */
  hunk?: HunkLines;
}

/** A run of lines of a file, from 1 on; `from` is `to` + 1 where lines were only taken out. */
export interface HunkLines {
  path: string;
  from: number;
  to: number;
}

/** RFC 9457 problem details. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
}

/** What a dialog's stream says. An unknown type is ignored. */
export type Frame =
  | { type: "section"; section: Section; dialogId?: string }
  | { type: "chunk"; content: string }
  | { type: "open"; from: number; blocks: string[]; tail: string }
  | { type: "tool_request"; dialogId: string; filename: string; toolCalls: RequestedCall[] }
  | { type: "done"; dialogId: string; filename: string; status: Status; needs: Needs; resources?: Resources }
  | { type: "error"; message: string; status?: number | string; kind: string }
  | { type: "note"; kind: string; text: string }
  | { type: "budget"; used: number; limit: number }
  | { type: "phase"; phase: string; label: string }
  | { type: "reset" };

export interface RequestedCall {
  id: string;
  name: string;
  input: unknown;
  inputText: string;
  sha256: string;
  description?: string;
  target?: FileTarget;
  server?: ServerTool;
  effect?: Tried;
}

/** The answer of GET search. */
export interface SearchAnswer {
  results: SearchResult[];
  /** there are others behind these */
  more: boolean;
}

/** A line that holds what was searched for. */
export interface SearchResult {
  file: string;
  dialogId?: string;
  /** the section's id; there may be a role without one */
  section?: string;
  role?: Role;
  /** in the file, from 1 on */
  line: number;
  /** the line, or at most 500 characters of it, with the match */
  text: string;
}

/** A file of the deed; path is relative to the deed. */
export interface DeedFile {
  path: string;
  bytes: number;
  mtime: string;
}

/** Where the pages of the deed are shown: an address that ends with a slash. */
export interface PreviewAddress {
  url: string;
}

/** A text at a project's top that can't be a page as it is; `as` is a doc that can be made of it, `in` one that has its text. */
export interface UnlistedText {
  name: string;
  why: string;
  as?: string;
  in?: string;
}

/** What the project-wide stream says. */
export interface ProjectChange {
  type: "change";
  kind: "files" | "dialogs" | "reset";
  name?: string;
  dialogId?: string;
  /** the dialog's entry in the list as it is now; null where it is gone */
  item?: DialogInfo | null;
}

/** The versions of a doc, oldest first, and of which of them its lines are. */
export interface DocHistory {
  file: string;
  sha256: string;
  versions: DocVersion[];
  lines: DocLines[];
}

/** What a doc held from one step on; `kept` says whether its text can still be read. An unknown time is "". */
export interface DocVersion {
  sha256: string;
  who: "human" | "agent" | "unknown";
  kind: "save" | "call" | "undo" | "outside";
  at: string;
  dialog: string;
  message: string;
  call: string;
  tool: string;
  allowed: AllowedBy | null;
  kept: boolean;
  /** how many words it has more than the version before; null where that is not known */
  words: number | null;
}

/** What let a call run: a human who allowed it alone, an allow of its dialog, or a rule of the project. */
export interface AllowedBy {
  by: "human" | "allow" | "rule";
  name: string;
  id: string;
}

/** Neighbouring lines, counted from 1, of the version with that index; -1 where it can't be told. */
export interface DocLines {
  from: number;
  to: number;
  version: number;
}

/** AddedFile is a file that was added to the project: where it is, and what it is by its bytes. */
export interface AddedFile { path: string; sha256: string; bytes: number; type: string }
