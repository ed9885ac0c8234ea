import { z } from 'zod';
import { durationMs } from '../../domain/duration.ts';
import { EVERY_EVENT, EXTENSIONS } from '../event-names.ts';
import { allEvents } from '../events.ts';

/** Maximum number of registered webhooks of a rehearsal. */
export const MOST_WEBHOOKS = 20;
/** Deliveries that a rehearsal keeps for each webhook. */
export const KEPT_DELIVERIES = 1_000;
/** Attempts that a delivery keeps, the latest. */
export const KEPT_ATTEMPTS = 20;
/** The sender whose webhooks faults name `carrier`. */
export const CARRIER = 'carrier';

/** The name of a sender of webhooks: the carrier, or a registered webhook. */
export const SenderName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'This must have 1 to 40 small letters, digits and hyphens, and begin with a letter or a digit.');

/** The name of a registered webhook, chosen by the caller. It is a name for faults, too. */
export const WebhookName = SenderName.refine((name) => name !== CARRIER);

/** What `types` may list. */
export const webhookTypes: readonly string[] = [...allEvents.map(({ name }) => name), EXTENSIONS, EVERY_EVENT];

/** Longest time that an old secret is kept. */
const LONGEST_KEPT_MS = durationMs('P30D');

export function isKeptFor(text: string): boolean {
  try {
    const ms = durationMs(text);
    return ms >= 0 && ms <= LONGEST_KEPT_MS;
  } catch {
    return false;
  }
}
