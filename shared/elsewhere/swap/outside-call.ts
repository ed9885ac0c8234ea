import type { Method } from '../../catalog/define.ts';
import { ESTATE_CALL_HEADER, endEstateCall } from '../../control/estate-call.ts';
import { retryAfterIn } from '../../domain/retry-after.ts';
import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';
import { type Outbound, OutboundRefused } from '../../http/outbound.ts';
import { BodyTooLong, bytesWithin } from '../../process/bounded-body.ts';
import { connectionTrouble, didNotConnect } from '../../process/connection-trouble.ts';
import { request } from '../../process/http-client.ts';
import { withTimeLimit } from '../../process/waiting.ts';
import { withoutSecrets } from './echoed-headers.ts';
import type { SeededSwap } from './stored-swap.ts';

/** How a process calls real systems. */
export interface OutsideAccess {
  /** Calls addresses that a request gave. */
  readonly checked: Pick<Outbound, 'agentFor'>;
  /** Calls addresses from the variables of the estate. */
  readonly trusted: Pick<Outbound, 'agentFor'>;
}

interface OutsideRequest {
  readonly method: Method;
  /** With the query. */
  readonly path: string;
  /** Without the configured headers. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** JSON. */
  readonly body?: string | undefined;
  /** Wall time that the caller has left. */
  readonly withinMs: Ms;
}

export interface OutsideReply {
  readonly status: number;
  readonly body: Buffer;
  /** Seconds. */
  readonly retryAfter: number | undefined;
  readonly durationMs: number;
}

/** The reason that a call got no reply. With `unreachable` and `busy`, nothing was sent. */
type NoReplyReason = 'unreachable' | 'busy' | 'late' | 'broken_off' | 'too_large';

export class NoReply extends Error {
  override readonly name = 'NoReply';
  readonly why: NoReplyReason;
  readonly durationMs: number;
  constructor(why: NoReplyReason, words: string, durationMs: number) {
    super(words);
    this.why = why;
    this.durationMs = durationMs;
  }
}

/** Time that the application needs for its own answer after the real system has used its whole time. */
export const MARGIN_MS = 250;
/** Limit of concurrent calls of a world to the real system, per application and process. So one world leaves room for the others. */
const MOST_AT_ONCE = 16;
/** Bytes of the largest answer. */
export const MOST_BYTES = 2 ** 20;

/** Calls the real systems that replace an application. @returns a function that throws NoReply */
export function createCallOutside(access: OutsideAccess) {
  const running = new Map<World, number>();

  return async (world: World, swap: SeededSwap, call: OutsideRequest): Promise<OutsideReply> => {
    const started = performance.now();
    const after = (): number => Math.round((performance.now() - started) * 100) / 100;
    const others = running.get(world) ?? 0;
    if (others >= MOST_AT_ONCE) throw new NoReply('busy', `${MOST_AT_ONCE} calls of this rehearsal wait for its answer`, 0);
    running.set(world, others + 1);
    const withinMs = Math.max(1, Math.min(swap.timeoutMs, call.withinMs));
    try {
      const reply = await withTimeLimit(withinMs, (signal) => send(access, swap, call, signal));
      return { ...reply, durationMs: after() };
    } catch (error) {
      throw noReply(error, withinMs, after());
    } finally {
      const permission = call.headers[ESTATE_CALL_HEADER];
      if (permission !== undefined) endEstateCall(permission);
      const left = (running.get(world) ?? 1) - 1;
      if (left === 0) running.delete(world);
      else running.set(world, left);
    }
  };
}

async function send(
  access: OutsideAccess,
  swap: SeededSwap,
  { method, path, headers, body }: OutsideRequest,
  signal: AbortSignal,
): Promise<Omit<OutsideReply, 'durationMs'>> {
  const { url, agent } = await (swap.isDefault ? access.trusted : access.checked).agentFor(`${swap.url}${path}`);
  const response = await request(url, {
    method,
    headers: { 'user-agent': 'unified-commerce-estate', ...swap.headers, ...headers },
    body: body ?? null,
    dispatcher: agent,
    signal,
  });
  return {
    // HTTP has no higher status; RFC 9110 takes one for a failure of the server.
    status: Math.min(response.statusCode, 599),
    body: await withoutSecrets(await bytesWithin(response.body, MOST_BYTES), swap),
    retryAfter: retryAfterIn(response.headers['retry-after']),
  };
}

function noReply(error: unknown, withinMs: Ms, durationMs: number): NoReply {
  if (error instanceof NoReply) return new NoReply(error.why, error.message, durationMs);
  if (error instanceof BodyTooLong) return new NoReply('too_large', error.message, durationMs);
  const refused = [error, (error as Error).cause].find((one) => one instanceof OutboundRefused);
  if (refused) return new NoReply('unreachable', (refused as OutboundRefused).message, durationMs);
  const { name, message } = error as Error;
  if (name === 'TimeoutError' || name === 'AbortError') return new NoReply('late', `it did not answer within ${withinMs} ms`, durationMs);
  const words = connectionTrouble(error)?.words ?? message;
  return new NoReply(didNotConnect(error) ? 'unreachable' : 'broken_off', words, durationMs);
}
