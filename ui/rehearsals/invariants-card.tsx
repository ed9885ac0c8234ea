import { useSignal } from '@preact/signals';
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
  return (
    <Card
      title="Invariants"
      aside={
        <button type="button" class={found ? undefined : 'primary'} aria-disabled={isBusy()} onClick={() => void verify()}>
          {busy.value === 'verify' ? 'Verifying…' : 'Verify'}
        </button>
      }
    >
      {!found && <p class="in muted">Verify settles the rehearsal, and checks that stock, money, points and events agree.</p>}
      {found && !found.settled && (
        <p class="in">
          <Badge tone="warn">not settled</Badge> It waits for {found.waitingFor.join(', ')}.
        </p>
      )}
      {found && <InvariantList invariants={found.invariants} />}
    </Card>
  );
}

interface Invariant {
  readonly id: string;
  readonly title: string;
  readonly holds: boolean;
  readonly basis?: 'as-seen' | 'not-checked' | undefined;
  readonly checked: number;
  readonly violations: readonly string[];
  readonly waiting?: readonly string[];
}

/** What an invariant relies on in a rehearsal with swapped applications. */
const BASIS = {
  'as-seen': (checked: number) => `${counted(checked, 'check')}, as the real systems have shown their objects`,
  'not-checked': () => 'The real system of a swapped application has the records.',
} as const;

/** Invariants with their outcome, and with what violates them. */
export const InvariantList = ({ invariants }: { readonly invariants: readonly Invariant[] }) => (
  <ul class="items" aria-label="Invariants">
    {invariants.map(({ id, title, holds, basis, checked, violations, waiting = [] }) => (
      <li key={id}>
        <span>{title}</span>
        {basis === 'not-checked' ? (
          <Badge tone="warn">not checked</Badge>
        ) : (
          <Badge tone={holds ? 'good' : 'bad'}>{holds ? 'holds' : 'broken'}</Badge>
        )}
        <p class="muted small">{basis === undefined ? counted(checked, 'check') : BASIS[basis](checked)}</p>
        {violations.map((violation) => (
          <p key={violation} class="wrong small brk">
            {violation}
          </p>
        ))}
        {waiting.map((line) => (
          <p key={line} class="muted small brk">
            {line}
          </p>
        ))}
      </li>
    ))}
  </ul>
);
