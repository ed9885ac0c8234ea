import { retryAfterIn } from '../../shared/domain/retry-after.ts';
import { laneTrouble, type Sent } from './exchange.ts';
import { parsed } from './json-text.ts';

const DENIED = 'Touchpoint authorization denied';

const CARD: Readonly<Record<string, string>> = {
  ACCEPTED: 'The loyalty card was accepted.',
  REFUSED: 'The loyalty card was refused.',
  UNAVAILABLE: 'The loyalty service is unavailable, so the card had no effect.',
};

const REFUSALS: Readonly<Record<string, string>> = {
  TOUCHPOINTS_DISABLED:
    'Touchpoints are switched off. The key and the lane are valid: the application refuses the request, not the authorization.',
  OPERATOR_UNAVAILABLE: 'The dedicated operator is unavailable.',
  BASKET_PAID: 'The basket is already paid, so it cannot be finished again.',
  BASKET_CLAIMED: 'The basket was retrieved at an assisted lane, so it cannot be finished here.',
};

const BY_STATUS: Readonly<Record<number, string>> = {
  400: 'The key and the lane are valid, but the selector is missing, unknown, or belongs to the other alias. There is no default case.',
  404: 'The mock does not have this path. A scenario endpoint is /caso followed by the name of a case.',
  405: 'This path answers POST only.',
  408: 'The request took too long to arrive.',
  413: 'The body is larger than 1 MiB.',
  502: 'The portal is running, but it cannot reach the mock. Start the mock, or check where it listens, and send again.',
};

/** A body of the contract. */
export interface Basket {
  readonly code?: string;
  readonly error?: string;
  readonly status?: string;
  readonly repeated?: boolean;
  readonly retrievalCode?: string;
  readonly loyaltyCardStatus?: string | null;
  readonly total?: number;
  readonly totalSaving?: number;
  readonly lines?: readonly BasketLine[];
}

export interface BasketLine {
  readonly ref: string;
  readonly lineId: number;
  readonly status: string;
  readonly description: string | null;
  readonly barcode: string;
  readonly unitOfMeasure: string;
  readonly unitPrice: number;
  readonly qty: number;
  readonly weight: number | null;
  readonly amount: number;
  readonly rejection?: { readonly code: string; readonly message: string } | null;
}

interface Words {
  readonly tone: 'good' | 'warn' | 'bad';
  readonly text: string;
}

interface Outcome {
  readonly status: number;
  readonly body: Basket | undefined;
  /** Seconds. */
  readonly retryAfter?: number;
  /** The body of the request. */
  readonly sent?: string;
}

/** The meaning of an answer in words. */
export function inWords({ status, body, retryAfter, sent }: Outcome): Words {
  if (status === 200) return successInWords(body);
  if (status === 403 && body?.code === undefined) {
    return { tone: 'bad', text: body?.error === DENIED ? deniedInWords(sent) : 'Access was refused.' };
  }
  const text = REFUSALS[body?.code ?? ''] ?? BY_STATUS[status] ?? `The answer has the unexpected status ${status}.`;
  return { tone: 'bad', text: retryAfter ? `${text} Try again after ${retryAfter} seconds.` : text };
}

function deniedInWords(sent: string | undefined): string {
  const trouble = sent === undefined ? undefined : laneTrouble(sent);
  if (trouble !== undefined) return `${trouble}, so no lane was found. Correct the body; do not retry automatically.`;
  return 'The touchpoint refused the key or the lane. Check the key, the destination and the lane; do not retry automatically.';
}

const FAILURES = {
  unreachable: { tone: 'bad', text: 'The portal does not answer. Is it still running?' },
  'not-sendable': { tone: 'bad', text: 'The selector has characters that no HTTP header can carry.' },
  stopped: { tone: 'warn', text: 'Stopped before the answer arrived.' },
} as const;

/** The meaning of an exchange in words, with or without an answer. */
export function explained({ request, answer, failure = 'unreachable' }: Sent): Words {
  if (answer === undefined) return FAILURES[failure] ?? FAILURES.unreachable;
  const retryAfter = retryAfterIn(answer.headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1]);
  return inWords({ status: answer.status, body: basketOf(answer), retryAfter, sent: request.body });
}

/** The body of an answer. Its members may be missing, as in any text from another server. */
export function basketOf({ text }: { readonly text: string }): Basket | undefined {
  const body = parsed(text);
  return typeof body === 'object' && body !== null ? body : undefined;
}

function successInWords(body: Basket = {}): Words {
  if (body.status === 'STALE_DIGEST') {
    return { tone: 'warn', text: 'Nothing was finished: the digest is stale. Show the basket again and finish with the new digest.' };
  }
  if (body.status === 'FINISHED') {
    const repeat = body.repeated ? 'This finish was accepted before. The answer is the same.' : 'The basket is finished.';
    return { tone: 'good', text: `${repeat} Retrieval code ${body.retrievalCode}.` };
  }
  const rejected = (body.lines ?? []).filter((line) => line.status === 'REJECTED');
  const card = CARD[body.loyaltyCardStatus ?? ''];
  const cardFailed = card !== undefined && body.loyaltyCardStatus !== 'ACCEPTED';
  const sentences = [
    rejected.length === 0 ? 'The basket was calculated.' : '',
    ...rejected.map((line) => `Line ${line.ref} (number ${line.lineId}) was rejected: ${line.rejection?.message}.`),
    card ?? '',
  ];
  return { tone: rejected.length > 0 || cardFailed ? 'warn' : 'good', text: sentences.filter(Boolean).join(' ') };
}
