import type { Agent } from 'undici';
import { Problem } from '../catalog/problems.ts';
import { durationMs } from '../domain/duration.ts';
import { retryAfterIn } from '../domain/retry-after.ts';
import { errorMessage } from '../domain/text.ts';
import type { Ms } from '../domain/time.ts';
import { rehearsalOf } from '../domain/world.ts';
import { connectionTrouble } from '../process/connection-trouble.ts';
import { request } from '../process/http-client.ts';
import { withTimeLimit } from '../process/waiting.ts';
import type { DueItem, DueWorkStore } from '../store/ports/due-work.ts';
import type { Directory } from '../store/ports/rehearsals.ts';
import type { Context } from './context.ts';
import { type ActiveFault, type Faults, type FaultTarget, type StrikeOptions, withheldUntil } from './faults.ts';
import { signWebhook } from './webhook-signature.ts';

/** Wall time limit of a receiver's answer. The deadline of the work that sends the webhook may be earlier. */
export const WEBHOOK_TIMEOUT_MS = 15_000;
/** Rehearsal time between the attempts of one webhook, as the Standard Webhooks specification proposes. The first attempt is immediate. */
export const WEBHOOK_RETRY_MS = ['PT5S', 'PT5M', 'PT30M', 'PT2H', 'PT5H', 'PT10H', 'PT14H', 'PT20H', 'PT24H'].map(durationMs);
/** Age of a stale timestamp: one minute more than receivers tolerate. */
export const STALE_MS = 360_000;
/** Signs webhooks with a bad signature. */
export const WRONG_SECRET = `whsec_${Buffer.from('not the secret of this rehearsal').toString('base64')}`;

interface Webhook {
  readonly path: string;
  /** The same for every attempt of one delivery. */
  readonly id: string;
  readonly body: unknown;
}

export interface Webhooks {
  /** The secret that signs webhooks of this rehearsal. */
  secret(): Promise<string>;
  /**
   * Sends one attempt through the gateway, as a party outside the estate would: signed, without a credential.
   * @param fault the fault that strikes this attempt
   * @returns the status, or the error that kept the webhook from arriving
   */
  send(webhook: Webhook, fault?: ActiveFault): Promise<WebhookOutcome>;
  /** Strikes a webhook with a fault, if there is one, and counts the strike. @returns it, for `send` or `webhookWithheldUntil` */
  strike(target: Extract<FaultTarget, { readonly webhook: string }>, options: StrikeOptions): Promise<ActiveFault | undefined>;
  /** Withheld webhooks of this application that a later one overtakes. */
  overtakable(): Promise<readonly DueItem[]>;
}

export type WebhookOutcome =
  | { readonly status: number; readonly retryAfterSeconds?: number }
  | { readonly status: 0; readonly error: string };

interface WebhookOptions {
  readonly directory: Directory;
  readonly gatewayUrl: () => string;
  readonly agent: Agent;
  readonly store: DueWorkStore;
  readonly faults: Faults;
  readonly context: Context;
  /** Notes the name of a fault that struck, for the journal. */
  readonly struck: (fault: string) => void;
}

/** The instant until which a fault withholds a webhook; undefined when the webhook is not withheld. */
export function webhookWithheldUntil(fault: ActiveFault | undefined, now: Ms): Ms | undefined {
  const isWithheld = fault && ['late', 'reorder', 'withhold'].includes(fault.fault.kind);
  return isWithheld ? withheldUntil(fault.fault, now) : undefined;
}

export function createWebhooks({ directory, gatewayUrl, agent, store, faults, context, struck }: WebhookOptions): Webhooks {
  const { world, now, correlationId, deadline } = context;
  const secret = async (): Promise<string> => {
    const view = await directory.current(world);
    if (!view) throw new Problem('unknown_rehearsal', 'This rehearsal has been reset or deleted.');
    return view.credentials.webhookSecret;
  };

  async function attempt({ path, id, body }: Webhook, kind: ActiveFault['fault']['kind'] | undefined): Promise<WebhookOutcome> {
    const json = JSON.stringify(body);
    const at = kind === 'stale-timestamp' ? now - STALE_MS : now;
    const headers = signWebhook(kind === 'bad-signature' ? WRONG_SECRET : await secret(), { id, at, body: json });
    const post = async (signal: AbortSignal): Promise<WebhookOutcome> => {
      const response = await request(`${gatewayUrl()}${path}?rehearsal=${rehearsalOf(world)}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'x-correlation-id': correlationId, traceparent: context.traceparent },
        body: json,
        dispatcher: agent,
        signal,
      });
      await response.body.dump();
      return { status: response.statusCode, retryAfterSeconds: retryAfterIn(response.headers['retry-after']) };
    };
    try {
      return await withTimeLimit(Math.max(0, Math.min(WEBHOOK_TIMEOUT_MS, deadline - Date.now())), post);
    } catch (error) {
      return { status: 0, error: connectionTrouble(error)?.words ?? errorMessage(error) };
    }
  }

  return {
    secret,
    send: async (webhook, fault) => {
      const outcome = await attempt(webhook, fault?.fault.kind);
      const copies = fault?.fault.kind === 'duplicate' ? fault.fault.copies : 0;
      // Concurrent, because the answers together must not outlast the lease of the work. Only the outcome of the original counts.
      await Promise.all(Array.from({ length: copies }, () => attempt(webhook, 'duplicate')));
      return outcome;
    },
    strike: async (target, options) => {
      const fault = await faults.strikeFirst({ world, revision: context.faults }, target, options);
      if (fault) struck(fault.name);
      return fault;
    },
    overtakable: async () => {
      const rules = await faults.rules({ world, revision: context.faults });
      const swapping = rules.filter(({ match, fault }) => match.webhook !== undefined && fault.kind === 'reorder');
      return (await Promise.all(swapping.map(({ name }) => store.withheld(world, name)))).flat();
    },
  };
}
