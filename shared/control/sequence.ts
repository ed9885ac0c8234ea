import type { output } from 'zod';
import type { Hop as HopSchema } from '../catalog/control/operations/journal.ts';

type Hop = Omit<output<typeof HopSchema>, 'request' | 'response'>;

/** `request`: from outside. `call`: between applications. `event`: its delivery. `webhook`: signed, through the gateway. `timer`: due work. */
type MessageKind = 'request' | 'call' | 'event' | 'webhook' | 'timer';

/** A hop of the journal as a message between participants. */
export interface Message<H extends Hop = Hop> {
  readonly hop: H;
  readonly kind: MessageKind;
  /** The application that caused it; `client` for a request from outside. */
  readonly from: string;
}

export const CLIENT = 'client';

/** A hop of the journal as an arrow of the diagram. */
export interface Arrow<H extends Hop = Hop> extends Message<H> {
  readonly to: string;
  /** Epoch milliseconds of the wall clock. A hop never begins before its cause, even if two machines' clocks differ. */
  readonly start: number;
  /** The arrow of the hop that waits for this one. */
  readonly caller: Arrow<H> | undefined;
}

export interface Sequence<H extends Hop = Hop> {
  /** `client` and the applications, sorted by their first call. */
  readonly participants: readonly string[];
  /** Sorted by start. */
  readonly arrows: readonly Arrow<H>[];
  /** Each arrow after its cause. The calls of a caller follow its list of calls. */
  readonly byCause: readonly Arrow<H>[];
}

/** Epoch milliseconds of the wall clock. */
const startOf = ({ startedAt }: Hop): number => Date.parse(startedAt);

const byStart = (one: Hop, other: Hop): number => startOf(one) - startOf(other) || one.sequence - other.sequence;

/** The caller lists its calls in order. A retried call has one id and several hops. */
function inCallOrder<H extends Hop>({ calls }: H, made: readonly H[]): readonly H[] {
  const place = new Map(calls.map((id, index) => [id, index]));
  const placeOf = ({ requestId }: Hop): number => place.get(requestId) ?? calls.length;
  return made.toSorted((one, other) => placeOf(one) - placeOf(other) || byStart(one, other));
}

const CARRIER = 'carrier-platform';

/** Reconstructs the sequence from the hops of a journal. @param isSigned whether an API receives signed webhooks, by its id */
export function sequenceOf<H extends Hop>(hops: readonly H[], isSigned: (api: string) => boolean): Sequence<H> {
  const causeOf = causes(hops, isSigned);
  const effects = Map.groupBy(hops, causeOf);
  /** Sends each webhook whose due work is not listed. */
  const sender = hops.some(({ application }) => application === CARRIER) ? CARRIER : CLIENT;
  const arrows: Arrow<H>[] = [];
  const placed = new Map<H, Arrow<H>>();

  function place(hop: H, cause: Arrow<H> | undefined): void {
    if (placed.has(hop)) return;
    const kind = isSigned(hop.api) ? 'webhook' : kindOf(hop, cause !== undefined);
    const from = cause?.to ?? (kind === 'webhook' ? sender : kind === 'request' ? CLIENT : hop.application);
    const start = Math.max(startOf(hop), cause?.start ?? 0);
    const arrow = { hop, kind, from, to: hop.application, start, caller: kind === 'call' || kind === 'webhook' ? cause : undefined };
    placed.set(hop, arrow);
    arrows.push(arrow);
    for (const effect of inCallOrder(hop, effects.get(hop) ?? [])) place(effect, arrow);
  }

  for (const hop of (effects.get(undefined) ?? []).toSorted(byStart)) place(hop, undefined);
  // Hops that name each other as cause have no root.
  for (const hop of hops) place(hop, undefined);
  // The sort is stable: within a millisecond, a cause stays before its effects, and calls keep their caller's order.
  const inTime = arrows.toSorted((one, other) => one.start - other.start);
  return { participants: [...new Set(inTime.flatMap(({ from, to }) => [from, to]))], arrows: inTime, byCause: arrows };
}

const kindOf = ({ api }: Hop, hasCause: boolean): MessageKind => {
  if (api.startsWith('event:')) return 'event';
  if (api.startsWith('due:')) return 'timer';
  return hasCause ? 'call' : 'request';
};

/** The cause of each hop. A webhook comes through the gateway and has no parent: its cause is the due work that ran at that time. */
function causes<H extends Hop>(hops: readonly H[], isSigned: (api: string) => boolean): (hop: H) => H | undefined {
  const byId = new Map(hops.map((hop) => [hop.requestId, hop]));
  const callers = new Map(hops.flatMap((hop) => hop.calls.map((id) => [id, hop] as const)));
  const due = hops.filter(({ api }) => api.startsWith('due:'));
  const senders = Map.groupBy(due, ({ correlationId }) => correlationId);
  const isDuring = (hop: H, sender: H): boolean =>
    hop.application !== sender.application &&
    startOf(sender) <= startOf(hop) &&
    startOf(hop) <= Math.ceil(startOf(sender) + sender.durationMs);
  return (hop) => {
    const cause =
      hop.parentId !== undefined
        ? (byId.get(hop.parentId) ?? callers.get(hop.requestId))
        : isSigned(hop.api)
          ? senders.get(hop.correlationId)?.find((sender) => isDuring(hop, sender))
          : undefined;
    return cause === hop ? undefined : cause;
  };
}
