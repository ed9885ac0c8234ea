import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import type { z } from 'zod';
import type { Payment as PaymentSchema } from '../../shared/catalog/payment/objects.ts';
import { serving } from '../conform/serving.ts';

type Payment = z.output<typeof PaymentSchema>;
type Money = Payment['amount'];

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

interface OutsideAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Answers in place of the hub, or leaves the request to it. */
export type Misbehave = (
  request: OutsideRequest,
  /** The honest answer. Calling it has the effect. */
  honest: () => OutsideAnswer,
  response: ServerResponse,
) => OutsideAnswer | 'handled' | undefined;

/** A payment hub of a retailer: a real HTTP server with the contract of the estate's Payment Hub, and one effect per key. */
export async function startPaymentHub(misbehave: Misbehave = () => undefined) {
  const received: OutsideRequest[] = [];
  const payments = new Map<string, Payment>();
  const answered = new Map<string, OutsideAnswer>();
  let effects = 0;
  let behaviour = misbehave;

  const changed = (payment: Payment, change: Partial<Payment>): OutsideAnswer => {
    const next = { ...payment, ...change, version: payment.version + 1, updatedAt: new Date().toISOString() };
    payments.set(payment.id, next);
    effects += 1;
    return { status: 200, body: next };
  };
  const conflict = (detail: string): OutsideAnswer => ({ status: 409, body: { code: 'invalid_state_transition', detail, status: 409 } });
  const zero = ({ currency }: Money): Money => ({ amount: 0, currency });
  const refunded = (payment: Payment, amount: Money, more: object): OutsideAnswer => {
    const all = payment.refundedAmount.amount + amount.amount;
    if (all > payment.capturedAmount.amount) return { status: 409, body: { code: 'refund_exceeds_captured', detail: 'too much' } };
    const isFull = all === payment.capturedAmount.amount;
    return changed(payment, {
      state: isFull ? 'fully-refunded' : 'partially-refunded',
      refundedAmount: { ...amount, amount: all },
      refunds: [...payment.refunds, { amount, state: 'succeeded', at: new Date().toISOString(), ...more }],
    });
  };

  function authorise({ orderId, tender, amount }: Omit<Payment, 'amount'> & { readonly amount?: Money }): OutsideAnswer {
    if (!amount) return { status: 422, body: { code: 'validation_failed', detail: 'no amount' } };
    const now = new Date().toISOString();
    const id = `pay_real${payments.size + 1}`;
    const payment: Payment = {
      id,
      version: 7,
      state: 'authorised',
      createdAt: now,
      updatedAt: now,
      orderId,
      tender: { type: tender.type, last4: '4242' },
      amount,
      authorizedAmount: amount,
      capturedAmount: zero(amount),
      refundedAmount: zero(amount),
      ...(tender.type === 'cash' && { tendered: amount, change: zero(amount) }),
      authorizationCode: `real-${id}`,
      refunds: [],
    };
    payments.set(id, payment);
    effects += 1;
    return { status: 201, body: payment };
  }

  function honest({ method, path, query, text }: OutsideRequest): OutsideAnswer {
    const body = text === '' ? {} : JSON.parse(text);
    if (`${method} ${path}` === 'POST /payments/authorizations') return authorise(body);
    if (`${method} ${path}` === 'GET /internal/payments') {
      return { status: 200, body: { items: [...payments.values()].filter(({ orderId }) => orderId === query.get('orderId')) } };
    }
    const [, id = '', verb] =
      /^\/(?:payments|internal\/payments)(?:\/authorizations)?\/([^/]+)\/(capture|void|refunds|reverse)$/.exec(path) ?? [];
    const payment = payments.get(id);
    if (!payment) return { status: 404, body: { code: 'not_found', detail: `no payment ${id}` } };
    switch (verb) {
      case 'capture':
        if (payment.state !== 'authorised') return conflict(`it is ${payment.state}`);
        return changed(payment, { state: 'captured', capturedAmount: body.amount ?? payment.authorizedAmount });
      case 'void':
        return payment.state === 'authorised' ? changed(payment, { state: 'voided' }) : conflict(`it is ${payment.state}`);
      case 'refunds': {
        const answer = refunded(payment, body.amount, { reference: body.reference, returnId: body.returnId });
        return answer.status === 200 ? { ...answer, status: 201 } : answer;
      }
      default: {
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
    const answer = behaviour(one, () => once(one), response) ?? once(one);
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
