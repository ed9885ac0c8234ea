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
  readonly checked: number;
  readonly violations: readonly string[];
  readonly waiting?: readonly string[];
}

/** Invariants with their outcome, and with what violates them. */
export const InvariantList = ({ invariants }: { readonly invariants: readonly Invariant[] }) => (
  <ul class="invariants">
    {invariants.map(({ id, title, holds, checked, violations, waiting = [] }) => (
      <li key={id}>
        <span>{title}</span>
        <Badge tone={holds ? 'good' : 'bad'}>{holds ? 'holds' : 'broken'}</Badge>
        <p class="muted small">{counted(checked, 'check')}</p>
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
