import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { CLOCK_TOLERANCE_MS } from '../domain/time.ts';

/**
 * Signatures as the Standard Webhooks specification describes them: HMAC-SHA256 over `<id>.<timestamp>.<raw body>`, base64, in a
 * space separated list of `v1,<signature>`. Its own library compares timestamps with the wall clock; here the rehearsal's clock
 * counts, so verification gets the time as an argument.
 */

interface WebhookHeaders {
  readonly 'webhook-id': string;
  /** Time of the attempt, in seconds since the epoch. */
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/** A secret: the base64 text of 24 to 64 bytes, with the prefix of the specification. */
export const WEBHOOK_SECRET = /^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const keyOf = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ''), 'base64');

function signature(secret: string, id: string, timestamp: string, body: string): string {
  return createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');
}

/** @param secrets one secret, or several while a receiver changes to a new one: each makes a signature @param at epoch milliseconds */
export function signWebhook(
  secrets: string | readonly string[],
  { id, at, body }: { id: string; at: number; body: string },
): WebhookHeaders {
  const timestamp = String(Math.floor(at / 1_000));
  const signatures = [secrets].flat().map((secret) => `v1,${signature(secret, id, timestamp, body)}`);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

export const newWebhookSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`;

/** @param now epoch milliseconds on the rehearsal's clock @returns the reason for a refusal as a sentence, or undefined */
export function refuseWebhook(
  secret: string,
  {
    id,
    timestamp,
    signatures,
    body,
    now,
  }: { id: string | undefined; timestamp: string | undefined; signatures: string | undefined; body: string; now: number },
): string | undefined {
  if (id === undefined || !/^[\x21-\x7e]{1,128}$/.test(id)) return 'webhook-id is missing or is not an id.';
  if (timestamp === undefined || !/^\d{1,12}$/.test(timestamp)) return 'webhook-timestamp is missing or is not a number of seconds.';
  if (Math.abs(now - Number(timestamp) * 1_000) > CLOCK_TOLERANCE_MS) {
    return 'webhook-timestamp is more than five minutes away from the rehearsal’s clock.';
  }
  const expected = Buffer.from(signature(secret, id, timestamp, body));
  const given = (signatures ?? '').split(' ').flatMap((one) => (one.startsWith('v1,') ? [Buffer.from(one.slice(3))] : []));
  const fits = given.filter((one) => one.length === expected.length && timingSafeEqual(one, expected));
  return fits.length > 0 ? undefined : 'webhook-signature does not fit this id, timestamp and body.';
}
