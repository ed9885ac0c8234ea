import { Problem } from '../../catalog/problems.ts';
import { SIGNER } from '../../control/context.ts';
import { refuseWebhook } from '../../control/webhook-signature.ts';
import type { ApplicationParts } from '../application-parts.ts';
import { headerOf } from './header-of.ts';
import type { ParsedRequest } from './parse-body.ts';
import type { Step } from './step.ts';

export interface VerifiedRequest extends ParsedRequest {
  readonly webhookId: string | undefined;
}

/** Refuses a webhook unless the rehearsal's secret signed its body, recently by the rehearsal's clock. */
export const verifySignature =
  <Result>({ directory }: ApplicationParts): Step<ParsedRequest, VerifiedRequest, Result> =>
  async (job, rest) => {
    const { bound, body, context, received, notes } = job;
    if (bound.api.auth !== 'signature') return rest({ ...job, webhookId: undefined });
    const view = await directory.current(context.world);
    const webhookId = headerOf(received.headers, 'webhook-id');
    const refusal = refuseWebhook(view?.credentials.webhookSecret ?? '', {
      id: webhookId,
      timestamp: headerOf(received.headers, 'webhook-timestamp'),
      signatures: headerOf(received.headers, 'webhook-signature'),
      body: body?.text ?? '',
      now: context.now,
    });
    if (refusal !== undefined) throw new Problem('unauthenticated', `The webhook is refused: ${refusal}`);
    notes.principal = SIGNER;
    return rest({ ...job, context: { ...context, principal: SIGNER }, webhookId });
  };
