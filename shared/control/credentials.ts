import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { REHEARSAL_NAME } from '../domain/ids.ts';
import type { RehearsalCredentials } from '../store/ports/rehearsals.ts';
import { newWebhookSecret } from './webhook-signature.ts';

/** Stored keys are HMACs under a pepper of the process, so a dump of the store gives no access. */
export const hmacOf = (pepper: string, key: string): string => createHmac('sha256', pepper).update(key).digest('hex');

/** @returns a constant-time comparison with a secret. Only the length of the secret leaks, which is public. */
export function comparisonWith(secret: string): (given: string) => boolean {
  const expected = Buffer.from(secret);
  return (given) => Buffer.byteLength(given) === expected.length && timingSafeEqual(Buffer.from(given), expected);
}

/** The credentials of a rehearsal in plain text. Only the answer of its creation contains them. */
export interface PlainCredentials extends Required<RehearsalCredentials> {
  /** The OAuth client fetches tokens that expire. */
  readonly clientId: string;
}

/** A bound credential names its rehearsal: `reh_<rehearsal>_<secret>`, so that one read gives authentication, isolation and time. */
export function rehearsalOfKey(key: string): string | undefined {
  const name = /^reh_([a-z0-9-]+)_[A-Za-z0-9-]{20,}$/.exec(key)?.[1];
  return name !== undefined && REHEARSAL_NAME.test(name) ? name : undefined;
}

/** The OAuth client of a rehearsal is named `reh_<rehearsal>`. */
export function rehearsalOfClient(id: string): string | undefined {
  const name = /^reh_([a-z0-9-]+)$/.exec(id)?.[1];
  return name !== undefined && REHEARSAL_NAME.test(name) ? name : undefined;
}

/** @returns the credentials to show, and their stored form. The webhook secret is stored in plain text, because it signs. */
export function mintCredentials(rehearsal: string, pepper: string): { plain: PlainCredentials; stored: RehearsalCredentials } {
  const secret = (): string => randomBytes(24).toString('base64url').replaceAll('_', '-');
  const plain = {
    bearer: `reh_${rehearsal}_${secret()}`,
    apiKey: `reh_${rehearsal}_${secret()}`,
    webhookSecret: newWebhookSecret(),
    clientId: `reh_${rehearsal}`,
    clientSecret: `reh_${rehearsal}_${secret()}`,
  };
  return {
    plain,
    stored: {
      bearer: hmacOf(pepper, plain.bearer),
      apiKey: hmacOf(pepper, plain.apiKey),
      webhookSecret: plain.webhookSecret,
      clientSecret: hmacOf(pepper, plain.clientSecret),
    },
  };
}
