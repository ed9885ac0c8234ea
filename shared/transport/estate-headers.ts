import { z } from 'zod';
import { Progression } from '../catalog/control/progression.ts';
import type { Context } from '../control/context.ts';
import type { OutgoingCall } from './transport.ts';

/** Header that carries a request's context between the applications of the estate. */
export const CONTEXT_HEADER = 'x-estate-context';
/** Header that proves that a request comes from inside the estate. */
export const TOKEN_HEADER = 'x-estate-token';
/** Header of an answer that the gateway breaks off half-way. */
export const BROKEN_OFF_HEADER = 'x-estate-broken-off';

const WORLD = /^[^~]+~[^~]+$/;

const EncodedContext = z.object({
  world: z.string().regex(WORLD),
  lineage: z.string().optional(),
  now: z.number(),
  seed: z.string().optional(),
  principal: z.string(),
  requestId: z.string(),
  parentId: z.string().optional(),
  correlationId: z.string(),
  traceparent: z.string().optional(),
  deadline: z.number(),
  faults: z.number(),
  reference: z.string().optional(),
  progression: Progression.optional(),
  dryRun: z.literal(true).optional(),
  chain: z.array(z.string()),
});

/** The headers of a call without its context, with names in lower case. */
export function headersOf({ context, idempotencyKey, ifMatch, body }: OutgoingCall, token: string): Record<string, string> {
  const { correlationId, traceparent } = context;
  return {
    [TOKEN_HEADER]: token,
    'x-correlation-id': correlationId,
    ...(traceparent !== undefined && { traceparent }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
}

export function encodeContext(context: Context): string {
  return Buffer.from(JSON.stringify(context)).toString('base64url');
}

/** @returns undefined when the header is not a context */
export function decodeContext(header: string): Context | undefined {
  try {
    const parsed = EncodedContext.safeParse(JSON.parse(Buffer.from(header, 'base64url').toString()));
    return parsed.success ? (parsed.data as Context) : undefined;
  } catch {
    return undefined;
  }
}
