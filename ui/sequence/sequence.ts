import { apis } from '../data/catalog.ts';
import type { ListedHop as Hop } from '../data/hop.ts';
import { byStart, inCallOrder, startOf } from './hop-order.ts';
import { CLIENT, type Message, type MessageKind } from './message.ts';

/** A hop of the journal as an arrow of the diagram. */
export interface Arrow extends Message {
  readonly to: string;
  /** Epoch milliseconds of the wall clock. A hop never begins before its cause, even if two machines' clocks differ. */
  readonly start: number;
  /** The arrow of the hop that waits for this one. */
  readonly caller: Arrow | undefined;
}

export interface Sequence {
  /** `client` and the applications, sorted by their first call. */
  readonly participants: readonly string[];
  /** Sorted by start. */
  readonly arrows: readonly Arrow[];
}

const isSigned = (api: string): boolean => apis[api]?.auth === 'signature';

/** Reconstructs the sequence from the hops of a journal. */
export function sequenceOf(hops: readonly Hop[]): Sequence {
  const causeOf = causes(hops);
  const effects = Map.groupBy(hops, causeOf);
  const arrows: Arrow[] = [];
  const placed = new Map<Hop, Arrow>();

  function place(hop: Hop, cause: Arrow | undefined): void {
    if (placed.has(hop)) return;
    const kind = kindOf(hop, cause !== undefined);
    const from = cause?.to ?? (kind === 'request' || kind === 'webhook' ? CLIENT : hop.application);
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
  return { participants: [...new Set(inTime.flatMap(({ from, to }) => [from, to]))], arrows: inTime };
}

const kindOf = ({ api }: Hop, hasCause: boolean): MessageKind => {
  if (api.startsWith('event:')) return 'event';
  if (api.startsWith('due:')) return 'timer';
  if (isSigned(api)) return 'webhook';
  return hasCause ? 'call' : 'request';
};

/** The cause of each hop. A webhook comes through the gateway and has no parent: its cause is the due work that ran at that time. */
function causes(hops: readonly Hop[]): (hop: Hop) => Hop | undefined {
  const byId = new Map(hops.map((hop) => [hop.requestId, hop]));
  const senders = Map.groupBy(
    hops.filter(({ api }) => api.startsWith('due:')),
    ({ correlationId }) => correlationId,
  );
  const isDuring = (hop: Hop, sender: Hop): boolean =>
    hop.application !== sender.application &&
    startOf(sender) <= startOf(hop) &&
    startOf(hop) <= Math.ceil(startOf(sender) + sender.durationMs);
  return (hop) => {
    const cause =
      hop.parentId !== undefined
        ? byId.get(hop.parentId)
        : isSigned(hop.api)
          ? senders.get(hop.correlationId)?.find((sender) => isDuring(hop, sender))
          : undefined;
    return cause === hop ? undefined : cause;
  };
}
