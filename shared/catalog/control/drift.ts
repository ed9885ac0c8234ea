/** What a fault may change in what clients get: answers of calls, events, and the events that a registered webhook receives. */

export type ChangeCarrier = 'call' | 'event' | 'webhook';

interface Change {
  /** What the client gets. */
  readonly effect: string;
  /** What can carry the change. Which APIs and events have it follows from their schemas. */
  readonly on: readonly ChangeCarrier[];
}

const BODIES = ['call', 'event', 'webhook'] as const;

/** Changes that a provider makes in a minor release: a tolerant client survives them. */
export const permittedChanges = {
  'unknown-member': { effect: 'Each object has the additional member addedLater, unless its schema is closed.', on: BODIES },
  'member-order': { effect: 'The members of each object are in the reverse order.', on: BODIES },
  'item-order': { effect: 'The items of lists without a promised order are in the reverse order.', on: BODIES },
  'absent-member': { effect: 'One optional member is absent.', on: BODIES },
  'open-value': { effect: 'One member of an open list has a value that the list does not have yet.', on: BODIES },
  'timestamp-form': { effect: 'Each time has an offset and microseconds: 2026-03-01T15:30:00.000000+05:30.', on: BODIES },
  'long-text': { effect: 'Texts for people are long, and contain other scripts than Latin.', on: BODIES },
  'smallest-page': { effect: 'A page has at most one item, and a nextCursor if more follow.', on: ['call'] },
  'retry-after-date': {
    effect: 'The header Retry-After is a date. It needs a refusal that has the header, such as an outage.',
    on: ['call'],
  },
  'compressed-body': { effect: 'The body is compressed with gzip, if the client accepts it.', on: ['call'] },
  'chunked-body': { effect: 'The body is sent in chunks, without Content-Length.', on: ['call'] },
  'objects-swapped': { effect: 'The event arrives after the next event of the application about another object.', on: ['event'] },
} as const satisfies Record<string, Change>;

/** Changes that no contract permits: the tests of a client have to notice them. */
export const forbiddenChanges = {
  'wrong-total': { effect: 'One total is higher by one minor unit.', on: BODIES },
  'wrong-minor-units': { effect: 'Every amount is a hundred times as high, as if its minor units were major ones.', on: BODIES },
  'previous-state': { effect: 'The object has a state that precedes its state, and the version before.', on: BODIES },
  'missing-item': { effect: 'A page lacks one of its items.', on: ['call'] },
  'missing-event': { effect: 'The event never arrives.', on: ['event'] },
  'html-body': { effect: 'The answer is a page of HTML with status 200.', on: ['call'] },
  'broken-json': { effect: 'The JSON ends in its middle.', on: ['call', 'webhook'] },
} as const satisfies Record<string, Change>;

export type PermittedChange = keyof typeof permittedChanges;
export type ForbiddenChange = keyof typeof forbiddenChanges;
export type ChangeName = PermittedChange | ForbiddenChange;

export const PERMITTED = Object.keys(permittedChanges) as [PermittedChange, ...PermittedChange[]];
export const FORBIDDEN = Object.keys(forbiddenChanges) as [ForbiddenChange, ...ForbiddenChange[]];

export const allChanges: Readonly<Record<ChangeName, Change>> = { ...permittedChanges, ...forbiddenChanges };

/** The changes that a carrier can have, as the tables list them. */
export const changesOn = (carrier: ChangeCarrier): readonly ChangeName[] =>
  [...PERMITTED, ...FORBIDDEN].filter((name) => allChanges[name].on.includes(carrier));

/** Why a rehearsal is not verified; undefined when it is. @param forbidden as verify returns them */
export function whyUnverified(forbidden: readonly { readonly name: string; readonly change: string }[] = []): string | undefined {
  if (forbidden.length === 0) return undefined;
  const names = forbidden.map(({ name, change }) => `${name} (${change})`).join(', ');
  return `The rehearsal is not verified, because clients may have got what no contract permits, by the fault ${names}. Verify a rehearsal without such a fault.`;
}

/** Named enumerations that may gain values: a client must accept an unknown one. All other enumerations are complete. */
export const OPEN_LISTS: readonly string[] = ['Channel', 'DisputeReason', 'InteractionType', 'TenderType', 'VoucherReason'];

/** Members that are lists whose items have no promised order. All other lists have the order that their description gives. */
export const UNORDERED_LISTS: readonly string[] = [
  'addresses',
  'allocations',
  'applied',
  'closedDays',
  'discounts',
  'earningRefunds',
  'fulfillmentOrders',
  'lines',
  'locations',
  'nodes',
  'payments',
  'reconciliation',
  'rejected',
  'shipments',
  'tenders',
  'vouchers',
];

/** Members with text that people write and read. No program depends on their content. */
export const TEXTS: readonly string[] = [
  'alt',
  'cancelReason',
  'city',
  'description',
  'firstName',
  'handedOverTo',
  'lastName',
  'line1',
  'line2',
  'message',
  'name',
  'note',
  'person',
  'region',
  'rejectReason',
];

/** Optional members whose absence is a statement: a page without it is the last one. */
export const STATING_ABSENCE: readonly string[] = ['nextCursor'];
