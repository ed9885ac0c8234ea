import { type Agent, request } from 'undici';
import { Problem } from '../catalog/problems.ts';
import type { Directory, Ms, World } from '../store/ports.ts';
import { rehearsalOf } from './context.ts';
import { signWebhook } from './webhook-signature.ts';

/** Wall time that a receiver has. */
const TIMEOUT_MS = 15_000;

export interface Webhooks {
  /** The secret with which webhooks of this rehearsal are signed. */
  secret(): Promise<string>;
  /**
   * Sends one attempt through the gateway, as a party outside the estate would: signed, without a credential.
   * @param id the same for every attempt of one delivery
   * @returns the status, or what kept it from arriving
   */
  send(webhook: { readonly path: string; readonly id: string; readonly body: unknown }): Promise<WebhookOutcome>;
}

export type WebhookOutcome =
  | { readonly status: number; readonly retryAfterSeconds?: number | undefined }
  | { readonly status: 0; readonly error: string };

export interface WebhookOptions {
  readonly directory: Directory;
  readonly gatewayUrl: () => string;
  readonly agent: Agent;
  readonly world: World;
  readonly now: Ms;
  readonly correlationId: string;
}

export function createWebhooks({ directory, gatewayUrl, agent, world, now, correlationId }: WebhookOptions): Webhooks {
  const secret = async (): Promise<string> => {
    const view = await directory.current(world);
    if (!view) throw new Problem('unknown_rehearsal', 'This rehearsal was reset or deleted meanwhile.');
    return view.credentials.webhookSecret;
  };
  return {
    secret,
    send: async ({ path, id, body }) => {
      const json = JSON.stringify(body);
      const headers = signWebhook(await secret(), { id, at: now, body: json });
      try {
        const response = await request(`${gatewayUrl()}${path}?rehearsal=${rehearsalOf(world)}`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json', 'x-correlation-id': correlationId },
          body: json,
          dispatcher: agent,
          signal: AbortSignal.timeout(TIMEOUT_MS),
        });
        await response.body.dump();
        const retryAfter = Number(response.headers['retry-after']);
        return { status: response.statusCode, ...(retryAfter > 0 && { retryAfterSeconds: retryAfter }) };
      } catch (error) {
        return { status: 0, error: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}
