import type { output } from 'zod';
import type { Hop as HopSchema } from '../catalog/control/operations/journal.ts';
import { type Breathe, inOneTurn, type Steps, stepsBreathing } from '../domain/breathe.ts';

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

/** A hop with its start, in epoch milliseconds of the wall clock, and the hops that it caused. */
interface Begun<H extends Hop> {
  readonly hop: H;
  readonly start: number;
  readonly effects: Begun<H>[];
}

const byStart = <H extends Hop>(one: Begun<H>, other: Begun<H>): number => one.start - other.start || one.hop.sequence - other.hop.sequence;

/** The caller lists its calls in order. A retried call has one id and several hops. */
function inCallOrder<H extends Hop>({ hop: { calls }, effects }: Begun<H>): readonly Begun<H>[] {
  if (effects.length < 2) return effects;
  const place = new Map(calls.map((id, index) => [id, index]));
  const placeOf = ({ hop }: Begun<H>): number => place.get(hop.requestId) ?? calls.length;
  return effects.toSorted((one, other) => placeOf(one) - placeOf(other) || byStart(one, other));
}

const CARRIER = 'carrier-platform';

/** Whether an API receives signed webhooks, by its id. */
type IsSigned = (api: string) => boolean;

/** Reconstructs the sequence from the hops of a journal. */
export const sequenceOf = <H extends Hop>(hops: readonly H[], isSigned: IsSigned): Sequence<H> => inOneTurn(sequenceSteps(hops, isSigned));

/** As `sequenceOf`, with pauses in between: a journal may have thousands of hops. */
export const sequenceBreathing = <H extends Hop>(hops: readonly H[], isSigned: IsSigned, breathe: Breathe): Promise<Sequence<H>> =>
  stepsBreathing(sequenceSteps(hops, isSigned), breathe);

function* sequenceSteps<H extends Hop>(hops: readonly H[], isSigned: IsSigned): Steps<Sequence<H>> {
  const begun: Begun<H>[] = [];
  for (const hop of hops) {
    begun.push({ hop, start: Date.parse(hop.startedAt), effects: [] });
    yield;
  }
  const causeOf = yield* causes(begun, isSigned);
  const roots: Begun<H>[] = [];
  for (const one of begun) {
    (causeOf(one)?.effects ?? roots).push(one);
    yield;
  }
  /** Sends each webhook whose due work is not listed. */
  const sender = hops.some(({ application }) => application === CARRIER) ? CARRIER : CLIENT;
  const arrows: Arrow<H>[] = [];
  const placed = new Set<Begun<H>>();
  // The next hop is the last one. Hops that name each other as cause have no root, so all hops come after the roots.
  const waiting: { readonly one: Begun<H>; readonly cause?: Arrow<H> }[] = [...roots.toSorted(byStart), ...begun]
    .reverse()
    .map((one) => ({ one }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { one, cause } = next;
    if (placed.has(one)) continue;
    placed.add(one);
    const { hop } = one;
    const kind = isSigned(hop.api) ? 'webhook' : kindOf(hop, cause !== undefined);
    const from = cause?.to ?? (kind === 'webhook' ? sender : kind === 'request' ? CLIENT : hop.application);
    const start = Math.max(one.start, cause?.start ?? 0);
    const arrow = { hop, kind, from, to: hop.application, start, caller: kind === 'call' || kind === 'webhook' ? cause : undefined };
    arrows.push(arrow);
    for (const effect of inCallOrder(one).toReversed()) waiting.push({ one: effect, cause: arrow });
    yield;
  }
  // The sort is stable: within a millisecond, a cause stays before its effects, and calls keep their caller's order.
  const inTime = arrows.toSorted((one, other) => one.start - other.start);
  yield;
  return { participants: [...new Set(inTime.flatMap(({ from, to }) => [from, to]))], arrows: inTime, byCause: arrows };
}

const kindOf = ({ api }: Hop, hasCause: boolean): MessageKind => {
  if (api.startsWith('event:')) return 'event';
  if (api.startsWith('due:')) return 'timer';
  return hasCause ? 'call' : 'request';
};

/** The cause of each hop. A webhook comes through the gateway and has no parent: its cause is the due work that ran at that time. */
function* causes<H extends Hop>(begun: readonly Begun<H>[], isSigned: IsSigned): Steps<(one: Begun<H>) => Begun<H> | undefined> {
  const byId = new Map<string, Begun<H>>();
  const callers = new Map<string, Begun<H>>();
  const senders = new Map<string, Begun<H>[]>();
  for (const one of begun) {
    const { requestId, calls, api, correlationId } = one.hop;
    byId.set(requestId, one);
    for (const id of calls) callers.set(id, one);
    if (api.startsWith('due:')) {
      const due = senders.get(correlationId);
      if (due) due.push(one);
      else senders.set(correlationId, [one]);
    }
    yield;
  }
  const isDuring = ({ hop, start }: Begun<H>, sender: Begun<H>): boolean =>
    hop.application !== sender.hop.application && sender.start <= start && start <= Math.ceil(sender.start + sender.hop.durationMs);
  return (one) => {
    const { parentId, requestId, api, correlationId } = one.hop;
    const cause =
      parentId !== undefined
        ? (byId.get(parentId) ?? callers.get(requestId))
        : isSigned(api)
          ? senders.get(correlationId)?.find((sender) => isDuring(one, sender))
          : undefined;
    return cause === one ? undefined : cause;
  };
}
