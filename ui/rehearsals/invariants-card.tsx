import { useSignal } from '@preact/signals';
import { whyUnverified } from '../../shared/catalog/control/drift.ts';
import { busy, isBusy, type Output, verify } from '../data/data.ts';
import { Badge, Card, InvariantList } from '../kit/kit.ts';

/** Each invariant with what violates it. */
export function InvariantsCard({ name }: { name: string }) {
  const outcome = useSignal<Output<'verify'> | undefined>(undefined);
  const found = outcome.value;
  const unverified = found && whyUnverified(found.forbidden);
  const show = (verified: Output<'verify'>): void => {
    outcome.value = verified;
  };
  return (
    <Card
      title="Invariants"
      aside={
        <button type="button" class={found ? undefined : 'primary'} aria-disabled={isBusy()} onClick={() => void verify(show, name)}>
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
      {unverified !== undefined && (
        <p class="in">
          <Badge tone="warn">not verified</Badge> {unverified}
        </p>
      )}
      {found && <InvariantList invariants={found.invariants} />}
    </Card>
  );
}
