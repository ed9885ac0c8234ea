import type { ComponentChildren } from 'preact';
import type { Output } from '../data/control.ts';
import { Badge } from './badge.tsx';
import { counted } from './format.ts';

type Invariant = Output<'verify'>['invariants'][number];

/** Violations that are listed. */
const MOST = 20;

interface InvariantListProps {
  readonly invariants: readonly Invariant[];
  /** What else is known of an invariant. */
  readonly more?: (invariant: Invariant) => ComponentChildren;
}

/** Invariants with their outcome, and with what violates them. */
export const InvariantList = ({ invariants, more }: InvariantListProps) => (
  <ul class="items" aria-label="Invariants">
    {invariants.map((invariant) => {
      const { id, title, holds, basis, checked, violations, waiting = [] } = invariant;
      return (
        <li key={id}>
          <span>{title}</span>
          {basis === 'not-checked' ? (
            <Badge tone="warn">not checked</Badge>
          ) : (
            <Badge tone={holds ? 'good' : 'bad'}>{holds ? 'holds' : 'broken'}</Badge>
          )}
          <p class="muted small">
            {basis === 'not-checked' ? 'The real system of a swapped application has the records.' : counted(checked, 'check')}
            {basis === 'as-seen' && ', as the real systems have shown their objects'}
          </p>
          {violations.slice(0, MOST).map((violation) => (
            <p key={violation} class="wrong small brk">
              {violation}
            </p>
          ))}
          {violations.length > MOST && <p class="wrong small">and {violations.length - MOST} more</p>}
          {waiting.map((line) => (
            <p key={line} class="muted small brk">
              {line}
            </p>
          ))}
          {more?.(invariant)}
        </li>
      );
    })}
  </ul>
);
