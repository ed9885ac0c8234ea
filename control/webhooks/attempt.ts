import type { Readable } from 'node:stream';
import type { Fault } from '../../shared/catalog/control/faults.ts';
import { EVENT_CONTENT_TYPE } from '../../shared/catalog/event-names.ts';
import { STALE_MS, WEBHOOK_TIMEOUT_MS, WRONG_SECRET } from '../../shared/control/webhook-sender.ts';
import { signWebhook } from '../../shared/control/webhook-signature.ts';
import { redactText } from '../../shared/domain/redaction.ts';
import { retryAfterIn } from '../../shared/domain/retry-after.ts';
import type { Ms } from '../../shared/domain/time.ts';
import { type Outbound, OutboundRefused } from '../../shared/http/outbound.ts';
import { connectionTrouble } from '../../shared/process/connection-trouble.ts';
import { request } from '../../shared/process/http-client.ts';
import { withTimeLimit } from '../../shared/process/waiting.ts';
import type { StoredWebhook } from './stored.ts';

/** Bytes of an answer that a delivery keeps. */
const ANSWER_BYTES = 500;

export interface Sent {
  /** 0: no answer. */
  readonly status: number;
  readonly answer?: string;
  readonly error?: string;
  readonly retryAfterSeconds?: number;
}

interface Message {
  readonly id: string;
  /** JSON of the event, as the bus carries it. */
  readonly body: string;
  readonly traceparent?: string;
}

/** Sends an event once, and further copies if the fault demands it. Only the first answer counts. */
export async function sendWebhook(
  outbound: Outbound,
  webhook: StoredWebhook,
  message: Message,
  { now, fault }: Circumstances,
): Promise<Sent> {
  const sent = await send(outbound, webhook, message, { now, kind: fault?.kind });
  const copies = fault?.kind === 'duplicate' ? fault.copies : 0;
  await Promise.all(Array.from({ length: copies }, () => send(outbound, webhook, message, { now })));
  return sent;
}

interface Circumstances {
  /** The rehearsal's clock. */
  readonly now: Ms;
  readonly fault?: Fault;
}

async function send(
  outbound: Outbound,
  webhook: StoredWebhook,
  { id, body, traceparent }: Message,
  { now, kind }: { readonly now: Ms; readonly kind?: Fault['kind'] },
): Promise<Sent> {
  const clock = webhook.timestamp === 'wall' ? Date.now() : now;
  const at = kind === 'stale-timestamp' ? clock - STALE_MS : clock;
  const headers = signWebhook(kind === 'bad-signature' ? WRONG_SECRET : secretsOf(webhook), { id, at, body });
  const post = async (signal: AbortSignal): Promise<Sent> => {
    const { url, agent } = await outbound.agentFor(webhook.url);
    const response = await request(url, {
      method: 'POST',
      headers: { 'content-type': EVENT_CONTENT_TYPE, 'user-agent': 'unified-commerce-estate', ...headers, traceparent },
      body,
      dispatcher: agent,
      signal,
    });
    const answer = await startOf(response.body);
    return { status: response.statusCode, answer, retryAfterSeconds: retryAfterIn(response.headers['retry-after']) };
  };
  try {
    return await withTimeLimit(WEBHOOK_TIMEOUT_MS, post);
  } catch (error) {
    return { status: 0, error: reasonOf(error) };
  }
}

/** The current secret, and the old one while it is kept. */
const secretsOf = ({ secret, oldSecret }: StoredWebhook): readonly string[] =>
  oldSecret && Date.now() < oldSecret.until ? [secret, oldSecret.secret] : [secret];

function reasonOf(error: unknown): string {
  if (error instanceof OutboundRefused) return error.message;
  const { cause, message } = error as Error;
  if (cause instanceof OutboundRefused) return cause.message;
  return connectionTrouble(error)?.words ?? message;
}

/** The first bytes of an answer as text. The rest is not received. */
async function startOf(body: Readable): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes >= ANSWER_BYTES) break;
  }
  const text = Buffer.concat(chunks)
    .subarray(0, ANSWER_BYTES)
    .toString()
    .replace(/\uFFFD$/, '');
  return text === '' ? undefined : redactText(text);
}
