import type { IncomingMessage } from 'node:http';
import { pause } from '../../shared/process/waiting.ts';
import { serving } from './serving.ts';

const DEFECTS = [
  'wrong-shape',
  'forgets-keys',
  'fails-on-repeat',
  'answers-unknown-ids',
  'accepts-bad-bodies',
  'captures-above-the-authorised',
  'moves-in-any-state',
  'answers-in-another-currency',
  'loses-refunds',
  'refunds-above-the-captured',
  'authorises-above-the-outstanding',
  'mixes-orders',
  'slow',
] as const;
export type Defect = (typeof DEFECTS)[number];
/** What a sound system may do differently. */
type Habit = 'forgets-declined';

interface Payment {
  readonly id: string;
  readonly orderId: string;
  readonly amount: number;
  readonly isDeclined: boolean;
  voided: boolean;
  captured: number;
  refunds: { amount: number; reference?: string }[];
}

// biome-ignore lint/suspicious/noExplicitAny: with a defect, the stub reads bodies that it has not validated
type Json = any;

class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

/** A Payment Hub of a retailer, in memory, with one defect or with none. */
export function startPaymentHub(defect?: Defect | Habit) {
  const payments: Payment[] = [];
  const answers = new Map<string, { status: number; body: Json }>();
  const has = (one: Defect | Habit): boolean => defect === one;

  const refunded = ({ refunds }: Payment): number => refunds.reduce((sum, { amount }) => sum + amount, 0);
  function stateOf(payment: Payment): string {
    if (payment.isDeclined) return 'failed';
    if (payment.voided) return 'voided';
    if (payment.captured === 0) return 'authorised';
    if (refunded(payment) === 0) return 'captured';
    return refunded(payment) >= payment.captured ? 'fully-refunded' : 'partially-refunded';
  }
  const money = (amount: number) => ({ amount, currency: has('answers-in-another-currency') ? 'USD' : 'EUR' });
  const shown = (payment: Payment) => ({
    id: payment.id,
    version: 1,
    createdAt: '2026-03-01T10:00:00.000Z',
    updatedAt: '2026-03-01T10:00:00.000Z',
    state: stateOf(payment),
    orderId: payment.orderId,
    tender: { type: 'card', token: 'tok' },
    amount: money(payment.amount),
    authorizedAmount: has('wrong-shape') ? payment.amount : money(payment.isDeclined ? 0 : payment.amount),
    capturedAmount: money(payment.captured),
    refundedAmount: money(refunded(payment)),
    refunds: payment.refunds.map(({ amount, reference }) => ({ amount: money(amount), state: 'succeeded', reference })),
  });

  function find(id: string): Payment {
    const found = payments.find((payment) => payment.id === id) ?? (has('answers-unknown-ids') ? payments[0] : undefined);
    if (!found) throw new Refusal(404, 'not_found');
    return found;
  }
  const isAmount = (value: Json): boolean =>
    Number.isSafeInteger(value?.amount) && value.amount > 0 && /^[A-Z]{3}$/.test(String(value.currency));
  function requireFit(fits: boolean): void {
    if (!fits && !has('accepts-bad-bodies')) throw new Refusal(422, 'validation_failed');
  }
  function requireState(payment: Payment, ...states: readonly string[]): void {
    if (!states.includes(stateOf(payment)) && !has('moves-in-any-state')) throw new Refusal(409, 'invalid_state_transition');
  }

  function authorise({ orderId, tender, amount, payable }: Json): Payment {
    const isFit = typeof orderId === 'string' && typeof tender?.token === 'string' && ['card', 'bnpl'].includes(tender.type);
    const isPayable = typeof payable?.orderId === 'string' && ['web', 'pos'].includes(payable.channel) && payable.state === 'draft';
    requireFit(isFit && isPayable && isTotal(payable.total) && (amount === undefined || isAmount(amount)));
    const others = payments.filter((one) => one.orderId === orderId && ['authorised', 'captured'].includes(stateOf(one)));
    const outstanding = (payable?.total?.amount ?? 1) - others.reduce((sum, one) => sum + one.amount, 0);
    const wanted = amount?.amount ?? outstanding;
    if (wanted > outstanding && !has('authorises-above-the-outstanding')) throw new Refusal(409, 'overpayment');
    const isDeclined = tender?.token === 'tok_decline_do_not_honor';
    const payment = {
      id: `pay_${payments.length + 1}`,
      orderId,
      amount: Math.abs(wanted) || 1,
      isDeclined,
      voided: false,
      captured: 0,
      refunds: [],
    };
    if (!isDeclined || !has('forgets-declined')) payments.push(payment);
    if (isDeclined) throw new Refusal(402, 'payment_declined');
    return payment;
  }
  const isTotal = (value: Json): boolean => Number.isSafeInteger(value?.amount) && /^[A-Z]{3}$/.test(String(value.currency));

  function capture(payment: Payment, { amount }: Json): void {
    requireFit(amount === undefined || isAmount(amount));
    requireState(payment, 'authorised');
    const wanted = amount?.amount ?? payment.amount;
    if (wanted > payment.amount && !has('captures-above-the-authorised')) throw new Refusal(409, 'capture_exceeds_authorized');
    payment.captured = Number(wanted) || 1;
  }

  function refund(payment: Payment, { amount, reference }: Json): void {
    requireFit(isAmount(amount));
    if (reference !== undefined && payment.refunds.some((one) => one.reference === reference)) return;
    requireState(payment, 'captured', 'partially-refunded');
    const isTooMuch = amount?.amount > payment.captured - refunded(payment);
    if (isTooMuch && !has('refunds-above-the-captured')) throw new Refusal(409, 'refund_exceeds_captured');
    if (!has('loses-refunds')) payment.refunds.push({ amount: Math.abs(amount?.amount) || 1, reference });
  }

  function reverse(payment: Payment): void {
    if (stateOf(payment) === 'authorised') payment.voided = true;
    else if (payment.captured > refunded(payment)) refund(payment, { amount: money(payment.captured - refunded(payment)) });
  }

  function answer(method: string, { pathname, searchParams }: URL, body: Json): { status: number; body: Json } {
    const [, id = '', verb] = /^\/(?:internal\/)?payments\/(?:authorizations\/)?([^/]+)\/(\w+)$/.exec(pathname) ?? [];
    if (pathname === '/internal/payments') {
      const items = payments.filter(({ orderId }) => has('mixes-orders') || orderId === searchParams.get('orderId'));
      return { status: 200, body: { items: items.map(shown) } };
    }
    if (method === 'POST' && pathname === '/payments/authorizations') return { status: 201, body: shown(authorise(body)) };
    if (id === '') throw new Refusal(404, 'not_found');
    const payment = find(id);
    if (verb === 'capture') capture(payment, body);
    else if (verb === 'refunds') refund(payment, body);
    else if (verb === 'reverse') {
      requireFit(body.reason === undefined || typeof body.reason === 'string');
      reverse(payment);
    } else if (verb === 'void') {
      requireState(payment, 'authorised', 'voided');
      payment.voided = true;
    } else throw new Refusal(404, 'not_found');
    return { status: verb === 'refunds' ? 201 : 200, body: shown(payment) };
  }

  async function reply(request: IncomingMessage): Promise<{ status: number; body: Json }> {
    const text = Buffer.concat(await request.toArray()).toString();
    if (has('slow')) await pause(1_000);
    const key = request.headers['idempotency-key']?.toString();
    const earlier = key === undefined ? undefined : answers.get(key);
    if (earlier && has('fails-on-repeat')) return { status: 500, body: { detail: 'The key exists.' } };
    if (earlier && !has('forgets-keys')) return earlier;
    try {
      const given = answer(request.method ?? '', new URL(request.url ?? '', 'http://stub'), text === '' ? {} : JSON.parse(text));
      if (key !== undefined) answers.set(key, structuredClone(given));
      return given;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { status: error.status, body: { code: error.code, detail: `Refused: ${error.code}.` } };
    }
  }

  return serving(async (request, response) => {
    const { status, body } = await reply(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
}
