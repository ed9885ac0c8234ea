import type { ComponentChildren } from 'preact';
import type { StateKind } from '../../shared/catalog/state-kinds.ts';

/** How urgent a state is for a reader: what ended badly and what waits come before what moves and what is done. */
export const URGENCY: Readonly<Record<StateKind, number>> = { failed: 3, waiting: 2, moving: 1, done: 0 };

/** The tones of the kinds, for badges and sentences. */
export const KIND_TONES = { waiting: 'warn', moving: 'move', done: 'good', failed: 'bad' } as const;

/** A shape for each kind, so that colour alone never decides. */
const SHAPES: Readonly<Record<StateKind, ComponentChildren>> = {
  waiting: <circle cx="6" cy="6" r="4.25" fill="none" stroke="currentColor" stroke-width="1.75" stroke-dasharray="2.4 1.9" />,
  moving: (
    <>
      <circle cx="6" cy="6" r="4.5" fill="none" stroke="currentColor" stroke-width="1.5" />
      <path d="M6 3.2a2.8 2.8 0 0 1 0 5.6z" fill="currentColor" />
    </>
  ),
  done: (
    <>
      <circle cx="6" cy="6" r="5.2" fill="currentColor" />
      <path d="m3.7 6.1 1.6 1.6 3-3.2" class="cut" fill="none" stroke-width="1.4" />
    </>
  ),
  failed: (
    <>
      <circle cx="6" cy="6" r="5.2" fill="currentColor" />
      <path d="m4.1 4.1 3.8 3.8m0-3.8L4.1 7.9" class="cut" fill="none" stroke-width="1.4" />
    </>
  ),
};

export const Glyph = ({ kind }: { kind: StateKind | undefined }) => (
  <svg class={`glyph ${kind ? KIND_TONES[kind] : ''}`} viewBox="0 0 12 12" aria-hidden="true">
    {kind ? SHAPES[kind] : <path d="M3 6h6" fill="none" stroke="currentColor" stroke-width="1.5" />}
  </svg>
);

/** A state in a list: its shape and its word. What is done is muted, and what ended badly stands out. */
export const State = ({ kind, children }: { kind: StateKind | undefined; children: ComponentChildren }) => (
  <span class={`state ${kind ?? ''}`}>
    <Glyph kind={kind} />
    <span class="clip">{children}</span>
  </span>
);
