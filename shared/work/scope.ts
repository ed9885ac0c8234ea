import { digest } from '../domain/ids.ts';
import { rehearsalOf } from '../domain/world.ts';
import { traceIds } from '../observability/observer.ts';
import { createWebhooks } from '../simulation/webhook-sender.ts';
import { type CallScope, createCaller } from '../transport/caller.ts';
import type { ApplicationParts } from './application-parts.ts';
import type { Scope } from './handler.ts';
import type { CommittingJob } from './job.ts';
import { type OpenUnit, openUnit } from './unit/open-unit.ts';

/** Opens what one run of a handler works with: a unit of work, and calls and webhooks in its name. */
export function openScope(
  parts: ApplicationParts,
  { context, trail, unit, commits }: CommittingJob,
  { webhookId, beforeCall }: Pick<Scope, 'webhookId'> & Pick<CallScope, 'beforeCall'> = {},
): { readonly work: OpenUnit; readonly scope: Scope } {
  const { application, transport, observer, store, directory, gatewayUrl, agent, faults, parse, relay } = parts;
  const { world, requestId, correlationId, traceparent } = context;
  const work = openUnit({
    store,
    context,
    commits,
    parse,
    relay,
    causation: requestId,
    hop: trail.hop,
    inlineLeaseMs: parts.leaseMs(context),
    ...unit,
  });
  // Made when something is logged: most runs log nothing.
  const ownLog = () => parts.log.child({ requestId, correlationId, world, rehearsal: rehearsalOf(world), ...traceIds(traceparent) });
  const callScope: CallScope = {
    context,
    // Most runs make no call that needs it.
    get key() {
      return digest(world, unit.key);
    },
    trail,
    beforeCall,
  };
  const scope: Scope = {
    context,
    work,
    call: createCaller({ application, transport, observer }, callScope),
    // Few handlers send webhooks.
    get webhooks() {
      return createWebhooks({ directory, gatewayUrl, agent, store, faults, context, struck: (fault) => trail.faults.push(fault) });
    },
    webhookId,
    log: {
      warn: (details, message) => ownLog().warn(details, message),
      info: (details, message) => ownLog().info(details, message),
    },
  };
  return { work, scope };
}
