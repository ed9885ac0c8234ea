import type { ComponentChildren } from 'preact';
import type { Mark } from './axis.ts';
import css from './timelines.module.css';

export type Kind = Mark['kind'];

/** All kinds, sorted as in the legend. */
export const KINDS: readonly Kind[] = ['state', 'money', 'stock', 'points', 'scan', 'call', 'event', 'webhook', 'clock'];

/** A shape for each kind, so that colour alone never decides. */
const SHAPES: Readonly<Record<Kind, ComponentChildren>> = {
  state: <circle cx="6" cy="6" r="4.5" />,
  money: <path d="M1.5 3.5h9v5h-9z" />,
  stock: <path d="M2 2h8v8H2z" />,
  points: <path d="m6 .8 1.6 3.4 3.7.5-2.7 2.6.7 3.7L6 9.2 2.7 11l.7-3.7L.7 4.7l3.7-.5z" />,
  scan: <path d="M6 1 11 10.5H1z" />,
  call: <path d="M1 4.8h5.2V2L11 6l-4.8 4V7.2H1z" />,
  event: <path d="M6 .8 11.2 6 6 11.2.8 6z" />,
  webhook: <path d="M6 1a5 5 0 1 0 0 10A5 5 0 0 0 6 1zm0 2.6a2.4 2.4 0 1 1 0 4.8 2.4 2.4 0 0 1 0-4.8z" />,
  clock: <path d="M6 1a5 5 0 1 0 0 10A5 5 0 0 0 6 1zm-.7 2h1.4v2.7l1.9 1.1-.7 1.2-2.6-1.5z" />,
};
const FAILED = <path d="m2.8 1.2 3.2 3.2 3.2-3.2 1.6 1.6L7.6 6l3.2 3.2-1.6 1.6L6 7.6l-3.2 3.2-1.6-1.6L4.4 6 1.2 2.8z" />;

/** A mark: the shape and the colour of its kind, or a cross if it was refused or failed. */
export const MarkGlyph = ({ kind, outcome }: { kind: Kind; outcome: Mark['outcome'] }) => (
  <svg class={`${css.glyph} ${outcome === 'ok' ? css[kind] : css.failed}`} viewBox="0 0 12 12" aria-hidden="true">
    {outcome === 'ok' ? SHAPES[kind] : FAILED}
  </svg>
);
