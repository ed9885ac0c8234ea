import { rehearsalLink } from '../data/data.ts';
import { Badge, counted, Empty, rehearsalTime, shortId } from '../kit/kit.ts';
import type { Hold } from './stock-holds.ts';

export interface StockHoldsProps {
  readonly rehearsal: string;
  readonly sku: string;
  readonly holds: readonly Hold[];
  /** Units that the counters reserve at all locations. */
  readonly reserved: number;
}

/** The active reservations of a SKU, newest first, each with its order or basket. */
export function StockHolds({ rehearsal, sku, holds, reserved }: StockHoldsProps) {
  const listed = holds.flatMap(({ places }) => places).reduce((sum, { units }) => sum + units, 0);
  if (holds.length === 0 && reserved === 0) {
    return (
      <Empty title={`Nothing holds ${sku}.`}>
        <p class="muted">A reservation of a basket or an order appears here as long as it holds units.</p>
      </Empty>
    );
  }
  return (
    <>
      <ul class="holds">
        {holds.map((hold) => (
          <HoldRow key={hold.id} rehearsal={rehearsal} hold={hold} />
        ))}
      </ul>
      {reserved > listed && (
        <p class="in muted">Older reservations, or work under way, hold another {counted(reserved - listed, 'unit')}.</p>
      )}
    </>
  );
}

const HoldRow = ({ rehearsal, hold: { id, state, owners, expiresAt, places } }: { rehearsal: string; hold: Hold }) => (
  <li class="hold">
    <p class="line">
      {owners.map((owner) => (
        <ObjectBadge key={owner.type} rehearsal={rehearsal} {...owner} />
      ))}
      <Badge tone={state === 'confirmed' ? 'good' : undefined}>{state}</Badge>
    </p>
    <p>{places.map(({ locationId, units }) => `${counted(units, 'unit')} at ${locationId}`).join(', ')}</p>
    <p class="muted small-text">
      <a href={rehearsalLink(rehearsal, 'objects', 'reservation', id)} title={id}>
        reservation/{shortId(id)}
      </a>
      {expiresAt !== undefined && ` · expires ${rehearsalTime(expiresAt)}`}
    </p>
  </li>
);

const ObjectBadge = ({ rehearsal, type, id }: { rehearsal: string; type: string; id: string }) => (
  <a class="badge" href={rehearsalLink(rehearsal, 'objects', type, id)} title={`${type}/${id}`}>
    {type}/{shortId(id)}
  </a>
);
