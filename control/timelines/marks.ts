import type { z } from 'zod';
import { isSignedApi } from '../../shared/catalog/apis.ts';
import { GATEWAY } from '../../shared/catalog/applications.ts';
import type { TimelineMark } from '../../shared/catalog/control/operations/timelines.ts';
import type { BusinessObject } from '../../shared/catalog/objects.ts';
import { type JournalRecord, WEBHOOK } from '../../shared/control/journal.ts';
import { CLIENT } from '../../shared/control/sequence.ts';
import { type Money, money, moneyInWords } from '../../shared/domain/money.ts';
import type { Ms } from '../../shared/domain/time.ts';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import { callTitle, clockTime } from '../explanations/words.ts';
import type { Happening } from '../journal/timeline.ts';

export type Mark = z.output<typeof TimelineMark>;
type Published = Readonly<Record<string, unknown>>;

/** A happening as a mark, without its trace. @param before the object before the event, if it is known */
export function markOf({ entry, hop, event }: Happening, before: Published | undefined, now: Ms): Mark {
  const { at, id } = entry;
  if (event) return { ...changeIn(event, before), at, application: entry.application ?? GATEWAY, outcome: 'ok', what: 'event', id };
  if (hop)
    return { ...answerIn(hop, entry.what), at, application: hop.application, outcome: outcomeOf(hop), what: 'hop', id, ...by(entry) };
  return { kind: 'clock', words: `clock to ${clockTime(at, now)}`, at, application: GATEWAY, outcome: 'ok', what: 'move', id };
}

const by = (entry: Happening['entry']): Pick<Mark, 'fromClient'> =>
  entry.what === 'call' && entry.by === CLIENT ? { fromClient: true } : {};

/** A webhook that nothing answered has the status 0, like a call. */
const outcomeOf = ({ status }: JournalRecord): Mark['outcome'] =>
  status === 0 || status >= 500 ? 'failed' : status >= 400 ? 'refused' : 'ok';

const MOST_WORDS = 160;

function answerIn(
  { api, status, request, response, faults }: JournalRecord,
  what: Happening['entry']['what'],
): Pick<Mark, 'kind' | 'words'> {
  const struck = faults.length > 0 ? `, struck by ${faults.join(', ')}` : '';
  const words = (text: string): string => `${text}${struck}`.slice(0, MOST_WORDS);
  if (api.startsWith(WEBHOOK)) {
    const { type = 'an event' } = (request ?? {}) as { readonly type?: string };
    const answer = status === 0 ? 'does not answer' : status >= 400 ? `answers ${status} to` : 'takes';
    return { kind: 'webhook', words: words(`${api.slice(WEBHOOK.length)} ${answer} ${callTitle(String(type))}`) };
  }
  const failure = failureIn(status, response);
  if (what === 'delivery') return { kind: 'event', words: words(`${callTitle(api.slice('event:'.length))} ${failure ?? 'arrives'}`) };
  if (what === 'timer')
    return { kind: 'clock', words: words(`timer ${api.slice('due:'.length)}${failure === undefined ? '' : ` ${failure}`}`) };
  return { kind: isSignedApi(api) ? 'webhook' : 'call', words: words(`${callTitle(api)}${failure === undefined ? '' : ` ${failure}`}`) };
}

/** `refused: insufficient_stock`; undefined for a success. */
function failureIn(status: number, response: unknown): string | undefined {
  if (status === 0) return 'got no answer';
  if (status < 400) return undefined;
  const { code } = (response ?? {}) as { readonly code?: unknown };
  return `${status >= 500 ? 'failed' : 'refused'}: ${typeof code === 'string' ? code : status}`;
}

type Change = Pick<Mark, 'kind' | 'words' | 'object'>;

function changeIn({ type, subject, time, data: { object, previousState } }: EstateEvent, before: Published | undefined): Change {
  const [of = '', id = ''] = subject.split('/');
  // One commit may publish two events about the same change.
  const hasMoved = object['state'] !== undefined && object['state'] !== (before?.['state'] ?? previousState);
  const [kind, words] = wordsOf(of, object, { before, hasMoved, time }) ?? ['event', callTitle(type).replaceAll('-', ' ')];
  return { kind, words: words.slice(0, MOST_WORDS), object: { type: of, id } };
}

interface Moved {
  readonly before: Published | undefined;
  readonly hasMoved: boolean;
  /** The instant of the change. */
  readonly time: string;
}

/** Undefined for a change that moves neither a state nor an amount. */
function wordsOf(type: string, object: Published, moved: Moved): readonly [Mark['kind'], string] | undefined {
  const state = String(object['state']);
  if (type === 'payment') return moneyMoved(object as unknown as BusinessObject<'payment'>, moved);
  if (type === 'loyalty-account') return pointsMoved(object as unknown as BusinessObject<'loyalty-account'>, moved);
  if (!moved.hasMoved) return undefined;
  if (type === 'reservation') {
    const units = (object['items'] as readonly { readonly qty: number }[]).reduce((sum, { qty }) => sum + qty, 0);
    return ['stock', `${units} ${units === 1 ? 'unit' : 'units'} ${state === 'requested' ? 'reserved' : state}`];
  }
  if (type === 'shipment') return [state === 'pending' || state === 'label-created' ? 'state' : 'scan', `parcel ${state}`];
  return ['state', `${type.replaceAll('-', ' ')} ${state}`];
}

function moneyMoved(payment: BusinessObject<'payment'>, { before, hasMoved }: Moved): ReturnType<typeof wordsOf> {
  const { state, amount, authorizedAmount, capturedAmount, refundedAmount } = payment;
  const refunded = refundedAmount.amount - ((before?.['refundedAmount'] as Money | undefined)?.amount ?? 0);
  if (refunded !== 0 && (before !== undefined || hasMoved)) {
    return ['money', `${moneyInWords(money(refunded, refundedAmount.currency))} refunded`];
  }
  if (!hasMoved) return undefined;
  const moved = state === 'captured' ? capturedAmount : state === 'authorised' || state === 'voided' ? authorizedAmount : amount;
  const why = state === 'failed' && payment.declineCode !== undefined ? `: ${payment.declineCode}` : '';
  return ['money', `${moneyInWords(moved)} ${state}${why}`];
}

/** The version before the first change of an account of the initial data is unknown: the ledger has the points of the change. */
function pointsMoved({ pointsBalance, entries }: BusinessObject<'loyalty-account'>, { before, time }: Moved): ReturnType<typeof wordsOf> {
  const booked = entries.filter(({ at }) => at === time).reduce((sum, { points }) => sum + points, 0);
  const change = before === undefined ? booked : pointsBalance - Number(before['pointsBalance']);
  return change === 0 ? undefined : ['points', `${change > 0 ? '+' : '−'}${Math.abs(change)} points`];
}
