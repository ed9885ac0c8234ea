import { h } from 'preact';
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
    return h(
      Empty,
      { title: `Nothing holds ${sku}.` },
      h('p', { class: 'muted' }, 'A reservation of a basket or an order appears here as long as it holds units.'),
    );
  }
  return [
    h(
      'ul',
      { class: 'holds' },
      holds.map((hold) => h(HoldRow, { key: hold.id, rehearsal, hold })),
    ),
    reserved > listed &&
      h('p', { class: 'in muted' }, `Older reservations, or work under way, hold another ${counted(reserved - listed, 'unit')}.`),
  ];
}

const HoldRow = ({ rehearsal, hold: { id, state, owners, expiresAt, places } }: { rehearsal: string; hold: Hold }) =>
  h(
    'li',
    { class: 'hold' },
    h(
      'p',
      { class: 'line' },
      owners.map((owner) => h(ObjectBadge, { key: owner.type, rehearsal, ...owner })),
      h(Badge, { tone: state === 'confirmed' ? 'good' : undefined }, state),
    ),
    h('p', {}, places.map(({ locationId, units }) => `${counted(units, 'unit')} at ${locationId}`).join(', ')),
    h(
      'p',
      { class: 'muted small-text' },
      h('a', { href: rehearsalLink(rehearsal, 'objects', 'reservation', id), title: id }, `reservation/${shortId(id)}`),
      expiresAt !== undefined && ` · expires ${rehearsalTime(expiresAt)}`,
    ),
  );

const ObjectBadge = ({ rehearsal, type, id }: { rehearsal: string; type: string; id: string }) =>
  h('a', { class: 'badge', href: rehearsalLink(rehearsal, 'objects', type, id), title: `${type}/${id}` }, `${type}/${shortId(id)}`);
