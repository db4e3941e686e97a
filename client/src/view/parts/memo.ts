import { Component, type ComponentType, createElement } from "preact";

/** memo renders a component again only when one of its props is another value, or when `same` says no. */
export function memo<P extends object>(Inner: (props: P) => preact.ComponentChild, same: (a: P, b: P) => boolean = shallow): ComponentType<P> {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      return !same(bare(this.props as P), bare(next));
    }
    override render(): preact.ComponentChild {
      return createElement(Inner as ComponentType<P>, this.props as P);
    }
  };
}

function shallow<P extends object>(a: P, b: P): boolean {
  const x = a as Record<string, unknown>, y = b as Record<string, unknown>;
  const names = new Set([...Object.keys(x), ...Object.keys(y)]);
  for (const k of names) if (x[k] !== y[k]) return false;
  return true;
}

// Preact may pass an empty children, new each time.
function bare<P extends object>(p: P): P {
  const { children: _, ...rest } = p as { children?: unknown };
  return rest as P;
}
