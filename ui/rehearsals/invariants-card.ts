import { useSignal } from '@preact/signals';
import { h } from 'preact';
import { act, busy, control, isBusy, type Output } from '../data/data.ts';
import { Badge, Card, counted } from '../kit/kit.ts';

/** Each invariant with what violates it. */
export function InvariantsCard({ name }: { name: string }) {
  const outcome = useSignal<Output<'verify'> | undefined>(undefined);
  const verify = (): Promise<void> =>
    act('verify', async () => {
      const found = await control('verify', undefined, { rehearsal: name });
      outcome.value = found;
      const broken = found.invariants.filter(({ holds }) => !holds).length;
      return broken === 0
        ? `All ${found.invariants.length} invariants hold.`
        : `${broken} of ${found.invariants.length} invariants are broken.`;
    });
  const found = outcome.value;
  return h(
    Card,
    {
      title: 'Invariants',
      aside: h(
        'button',
        { type: 'button', class: found ? undefined : 'primary', 'aria-disabled': isBusy(), onClick: () => void verify() },
        busy.value === 'verify' ? 'Verifying…' : 'Verify',
      ),
    },
    !found && h('p', { class: 'in muted' }, 'Verify settles the rehearsal, and checks that stock, money, points and events agree.'),
    found &&
      !found.settled &&
      h('p', { class: 'in' }, h(Badge, { tone: 'warn' }, 'not settled'), ` It waits for ${found.waitingFor.join(', ')}.`),
    found && h(InvariantList, { invariants: found.invariants }),
  );
}

interface Invariant {
  readonly id: string;
  readonly title: string;
  readonly holds: boolean;
  readonly checked: number;
  readonly violations: readonly string[];
  readonly waiting?: readonly string[];
}

/** Invariants with their outcome, and with what violates them. */
export const InvariantList = ({ invariants }: { readonly invariants: readonly Invariant[] }) =>
  h(
    'ul',
    { class: 'invariants' },
    invariants.map(({ id, title, holds, checked, violations, waiting = [] }) =>
      h(
        'li',
        { key: id },
        h('span', {}, title),
        h(Badge, { tone: holds ? 'good' : 'bad' }, holds ? 'holds' : 'broken'),
        h('p', { class: 'muted small' }, counted(checked, 'check')),
        violations.map((violation) => h('p', { key: violation, class: 'wrong small brk' }, violation)),
        waiting.map((line) => h('p', { key: line, class: 'muted small brk' }, line)),
      ),
    ),
  );
