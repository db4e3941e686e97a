/** editorCode loads the editor. */
export const editorCode = () => import("../../editor/editor.ts");
