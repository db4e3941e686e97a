// A chunk of its own, loaded with the first diff.
export { presentableDiff } from "@codemirror/merge";
