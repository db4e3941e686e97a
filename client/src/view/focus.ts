/** focused is a ref that takes the focus once, when its element appears. The attribute would do so once a page. */
export function focused(el: HTMLElement | null): void { el?.focus(); }
