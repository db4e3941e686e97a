// The one name of the package that languages.ts loads: of a whole package that is loaded
// late nothing is left out, and the editor would load it with what it needs itself.
export { parser } from "@lezer/markdown";
