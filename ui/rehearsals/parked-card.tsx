import { act, control, drawn, isBusy, useRead } from '../data/data.ts';
import { Badge, Card, Refresh, rehearsalTime, Term } from '../kit/kit.ts';

/** Work that failed too often, with a button that runs it again. */
export function ParkedCard({ name }: { name: string }) {
  const parked = useRead('list-parked', undefined, { rehearsal: name });
  const redrive = (key?: string): Promise<void> =>
    act('redrive', async () => {
      const { redriven, left } = await control('redrive-parked', { body: key === undefined ? {} : { key } }, { rehearsal: name });
      await control('settle', { body: {} }, { rehearsal: name });
      parked.reload();
      return left.length === 0
        ? `${redriven.length} redriven.`
        : `${redriven.length} redriven; ${left.length} wait for their event to reach the bus.`;
    });
  const count = parked.value?.items.length ?? 0;
  return (
    <Card
      title="Parked work"
      aside={
        <span class="line">
          <Refresh {...parked} />
          {count > 0 && (
            <button type="button" aria-disabled={isBusy()} onClick={() => void redrive()}>
              Redrive all
            </button>
          )}
        </span>
      }
    >
      {drawn(parked, ({ items }) =>
        items.length === 0 ? (
          <p class="in muted">
            Nothing is <Term word="Park">parked</Term>. Deliveries and timers that failed too often appear here.
          </p>
        ) : (
          <ul class="items">
            {items.map(({ what, key, error, at }) => (
              <li key={key}>
                <span class="brk">
                  <Badge tone="warn">{what}</Badge> <code>{key}</code>
                </span>
                <button type="button" aria-disabled={isBusy()} onClick={() => void redrive(key)}>
                  Redrive<span class="unseen"> {key}</span>
                </button>
                <p class="small brk">{error}</p>
                <p class="muted small">parked at {rehearsalTime(at)}</p>
              </li>
            ))}
          </ul>
        ),
      )}
    </Card>
  );
}
