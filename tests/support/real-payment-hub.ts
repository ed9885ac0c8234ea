import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import type { z } from 'zod';
import type { Payment as PaymentSchema } from '../../shared/catalog/payment/objects.ts';
import { serving } from '../conform/serving.ts';

type Payment = z.output<typeof PaymentSchema>;
type Money = Payment['amount'];

type Payable = { readonly total: Money; readonly required?: Money };
type Authorisation = Pick<Payment, 'orderId' | 'tender'> & {
  readonly amount?: Money;
  readonly payable?: Payable;
  readonly acceptPartial?: true;
};
type Refund = { readonly amount?: Money; readonly reason?: string; readonly reference?: string; readonly returnId?: string };

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isMoney = (value: Money | undefined): value is Money =>
  Number.isSafeInteger(value?.amount) && Number(value?.amount) > 0 && /^[A-Z]{3}$/.test(String(value?.currency));

const WEEK_MS = 7 * 24 * 60 * 60 * 1_000;

/** A request as the real system receives it. */
export interface OutsideRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The body as text. */
  readonly text: string;
  /** Every byte of the head. */
  readonly head: string;
  /** The payment that the path names, as it is. */
  readonly payment: Payment | undefined;
}

export interface OutsideAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Answers in place of the hub, or leaves the request to it. */
export type Misbehave = (
  request: OutsideRequest,
  /** The honest answer. Calling it has the effect. @param other what differs from the request */
  honest: (other?: Partial<OutsideRequest>) => OutsideAnswer,
  response: ServerResponse,
) => OutsideAnswer | 'handled' | undefined;

/** A payment hub of a retailer: a real HTTP server with the contract of the estate's Payment Hub, and one effect per key. */
export async function startPaymentHub(misbehave: Misbehave = () => undefined) {
  const received: OutsideRequest[] = [];
  const payments = new Map<string, Payment>();
  const answered = new Map<string, OutsideAnswer>();
  const declinedAtCapture = new Set<string>();
  let effects = 0;
  let behaviour = misbehave;

  const changed = (payment: Payment, change: Partial<Payment>): OutsideAnswer => {
    const next = { ...payment, ...change, version: payment.version + 1, updatedAt: new Date().toISOString() };
    payments.set(payment.id, next);
    effects += 1;
    return { status: 200, body: next };
  };
  const refusal = (status: number, code: string, detail = code, members: object = {}): OutsideAnswer => ({
    status,
    body: { code, detail, status, ...members },
  });
  const conflict = (state: string): OutsideAnswer => refusal(409, 'invalid_state_transition', `it is ${state}`);
  const zero = ({ currency }: Money): Money => ({ amount: 0, currency });
  const refunded = (payment: Payment, amount: Money, more: object): OutsideAnswer => {
    const all = payment.refundedAmount.amount + amount.amount;
    const rest = { ...amount, amount: payment.capturedAmount.amount - payment.refundedAmount.amount };
    if (all > payment.capturedAmount.amount) return refusal(409, 'refund_exceeds_captured', 'too much', { refundableAmount: rest });
    const isFull = all === payment.capturedAmount.amount;
    return changed(payment, {
      state: isFull ? 'fully-refunded' : 'partially-refunded',
      refundedAmount: { ...amount, amount: all },
      refunds: [...payment.refunds, { amount, state: 'succeeded', at: new Date().toISOString(), ...more }],
    });
  };

  /** What the order has outstanding, unless the caller did not send it. */
  function outstandingOf(orderId: string, payable: Payable | undefined): Money | undefined {
    if (!payable) return undefined;
    const committed = [...payments.values()].filter((one) => one.orderId === orderId && one.state !== 'voided' && one.state !== 'failed');
    const kept = committed.map((one) => (one.capturedAmount.amount || one.authorizedAmount.amount) - one.refundedAmount.amount);
    const { required = payable.total } = payable;
    return { ...required, amount: kept.reduce((left, one) => left - one, required.amount) };
  }

  function authorise({ orderId, tender, amount, payable, acceptPartial }: Authorisation): OutsideAnswer {
    const outstanding = outstandingOf(orderId, payable);
    const isCash = tender?.type === 'cash';
    // Cash above the outstanding amount pays only that.
    const wanted = isCash && outstanding && amount && amount.amount > outstanding.amount ? outstanding : (amount ?? outstanding);
    if (!wanted || !(isText(orderId) && isText(tender?.type) && isMoney(wanted))) return refusal(422, 'validation_failed');
    if (tender.type === 'card' && !isText(tender.token)) return refusal(422, 'validation_failed');
    if (outstanding && wanted.amount > outstanding.amount) return refusal(409, 'overpayment');
    const isDeclined = tender.token === 'tok_decline_do_not_honor';
    const approved = tender.token === 'tok_partial_60' ? { ...wanted, amount: Math.floor(wanted.amount * 0.6) } : wanted;
    if (approved.amount < wanted.amount && !acceptPartial)
      return refusal(402, 'payment_declined', 'too much', { availableAmount: approved });
    const now = new Date().toISOString();
    const id = `pay_real${payments.size + 1}`;
    const payment: Payment = {
      id,
      version: 7,
      state: isDeclined ? 'failed' : 'authorised',
      createdAt: now,
      updatedAt: now,
      orderId,
      tender: { type: tender.type, last4: '4242' },
      amount: wanted,
      authorizedAmount: isDeclined ? zero(wanted) : approved,
      capturedAmount: zero(wanted),
      refundedAmount: zero(wanted),
      ...(isCash && amount && { tendered: amount, change: { ...wanted, amount: amount.amount - wanted.amount } }),
      ...(!isDeclined && { authorizationCode: `real-${id}` }),
      ...(tender.type === 'card' && { authorizationExpiresAt: new Date(Date.now() + WEEK_MS).toISOString() }),
      refunds: [],
    };
    payments.set(id, payment);
    if (tender.token === 'tok_decline_at_capture') declinedAtCapture.add(id);
    if (isDeclined) return refusal(402, 'payment_declined');
    effects += 1;
    return { status: 201, body: payment };
  }

  function capture(payment: Payment, amount: Money = payment.authorizedAmount): OutsideAnswer {
    if (payment.state !== 'authorised') return conflict(payment.state);
    if (!isMoney(amount)) return refusal(422, 'validation_failed');
    if (amount.amount > payment.authorizedAmount.amount) return refusal(409, 'capture_exceeds_authorized');
    if (declinedAtCapture.has(payment.id)) {
      changed(payment, { state: 'failed' });
      return refusal(402, 'payment_declined');
    }
    return changed(payment, { state: 'captured', capturedAmount: amount });
  }

  function refund(payment: Payment, { amount, reason, reference, returnId }: Refund): OutsideAnswer {
    if (!isMoney(amount)) return refusal(422, 'validation_failed');
    if (reference !== undefined && payment.refunds.some((one) => one.reference === reference)) return { status: 200, body: payment };
    if (payment.state !== 'captured' && payment.state !== 'partially-refunded') return conflict(payment.state);
    const answer = refunded(payment, amount, { reason, reference, returnId });
    return answer.status === 200 ? { ...answer, status: 201 } : answer;
  }

  function honest({ method, path, query, text }: OutsideRequest): OutsideAnswer {
    const body = text === '' ? {} : JSON.parse(text);
    if (`${method} ${path}` === 'POST /payments/authorizations') return authorise(body);
    if (`${method} ${path}` === 'GET /internal/payments') {
      return {
        status: 200,
        body: { items: [...payments.values()].filter(({ orderId }) => orderId === (query.get('orderId') ?? orderId)) },
      };
    }
    const [, id = '', verb] =
      /^\/(?:payments|internal\/payments)(?:\/authorizations)?\/([^/]+)\/(capture|void|refunds|reverse)$/.exec(path) ?? [];
    const payment = payments.get(id);
    if (!payment) return refusal(404, 'not_found', `no payment ${id}`);
    switch (verb) {
      case 'capture':
        return capture(payment, body.amount);
      case 'void':
        if (payment.state === 'voided') return { status: 200, body: payment };
        return payment.state === 'authorised' ? changed(payment, { state: 'voided' }) : conflict(payment.state);
      case 'refunds':
        return refund(payment, body);
      default: {
        if (body.reason !== undefined && !isText(body.reason)) return refusal(422, 'validation_failed');
        if (payment.state === 'authorised') return changed(payment, { state: 'voided' });
        const left = payment.capturedAmount.amount - payment.refundedAmount.amount;
        return left > 0 ? refunded(payment, { ...payment.amount, amount: left }, {}) : { status: 200, body: payment };
      }
    }
  }

  /** One effect per key. */
  function once(request: OutsideRequest): OutsideAnswer {
    const key = String(request.headers['idempotency-key'] ?? '');
    const first = key === '' ? undefined : answered.get(key);
    if (first) return { ...first, status: first.status === 201 ? 200 : first.status };
    const answer = honest(request);
    if (key !== '' && answer.status < 300) answered.set(key, answer);
    return answer;
  }

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://hub');
    const { method = '', headers, rawHeaders } = request;
    const head = `${method} ${request.url}\n${rawHeaders.join('\n')}`;
    const text = await textOf(request);
    const payment = payments.get(pathname.split('/').find((part) => part.startsWith('pay_')) ?? '');
    const one = { method, path: pathname, query: searchParams, headers, text, head, payment };
    received.push(one);
    const answer = behaviour(one, (other) => once({ ...one, ...other }), response) ?? once(one);
    if (answer === 'handled') return;
    const { status, body } = answer;
    const type = status < 300 ? 'application/json' : 'application/problem+json';
    response.writeHead(status, { 'content-type': type }).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  return {
    ...(await serving(server)),
    received,
    payments,
    /** Number of changes that the hub made. */
    effects: (): number => effects,
    /** Changes its behaviour from the next request. */
    behave(next: Misbehave): void {
      behaviour = next;
    },
    stop(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}

export type RealPaymentHub = Awaited<ReturnType<typeof startPaymentHub>>;
