import type { Context } from '../control/context.ts';
import { createWebhooks, type Webhooks } from '../control/webhook-sender.ts';
import type { Breathe } from '../domain/breathe.ts';
import { digest } from '../domain/ids.ts';
import { idSource, rehearsalOf } from '../domain/world.ts';
import { traceIds } from '../observability/observer.ts';
import { inShortTurns } from '../process/waiting.ts';
import { type Caller, type CallScope, createCaller } from '../transport/caller.ts';
import type { ApplicationParts } from './application-parts.ts';
import type { Scope } from './handler.ts';
import type { CommittingJob, JournalNotes } from './job.ts';
import { Unit } from './unit/unit.ts';

type RunOptions = Pick<Scope, 'webhookId'> & Pick<CallScope, 'beforeCall'> & { readonly around?: (call: Caller) => Caller };

const SILENT: Scope['log'] = { warn: () => {}, info: () => {} };

/** The tools of one run of a handler: a unit of work, and calls and webhooks on its behalf. Rarely used tools are made at their first use. */
export class RunScope implements Scope, CallScope {
  readonly context: Context;
  readonly notes: JournalNotes;
  readonly work: Unit;
  readonly call: Caller;
  readonly webhookId: string | undefined;
  readonly ifMatch: string | undefined;
  readonly beforeCall: CallScope['beforeCall'];
  readonly #parts: ApplicationParts;
  readonly #key: string;

  constructor(
    parts: ApplicationParts,
    { context, notes, unit, commits, figures }: CommittingJob,
    { webhookId, beforeCall, around = (call) => call }: RunOptions = {},
  ) {
    const { store, parse, reference, relay } = parts;
    this.context = context;
    this.notes = notes;
    this.webhookId = webhookId;
    this.ifMatch = unit.precondition?.ifMatch;
    this.beforeCall = beforeCall;
    this.#parts = parts;
    this.#key = unit.key;
    const causation = unit.causation ?? context.requestId;
    const { fence, key, since, precondition } = unit;
    const beforeReplyLeaseMs = parts.leaseMs(context);
    this.work = new Unit({
      store,
      context,
      figures,
      commits,
      parse,
      reference,
      relay,
      causation,
      hopId: notes.hopId,
      beforeReplyLeaseMs,
      fence,
      key,
      since,
      precondition,
    });
    this.call = around(createCaller(parts, this));
  }

  /** The idempotency keys of calls are derived from it. */
  get key(): string {
    return digest(idSource(this.context), this.#key);
  }

  get breathe(): Breathe {
    return inShortTurns();
  }

  get webhooks(): Webhooks {
    const { directory, gatewayUrl, agent, store, faults } = this.#parts;
    const { context, notes } = this;
    return createWebhooks({ directory, gatewayUrl, agent, store, faults, context, struck: (fault) => notes.faults.push(fault) });
  }

  /** The logger of this run is made when something is logged. A dry run logs nothing, because nothing is tried that could fail. */
  get log(): Scope['log'] {
    if (this.context.dryRun) return SILENT;
    const { requestId, correlationId, world, traceparent } = this.context;
    const ids = { requestId, correlationId, world, rehearsal: rehearsalOf(world), ...traceIds(traceparent) };
    const { log } = this.#parts;
    return {
      warn: (details, message) => log.child(ids).warn(details, message),
      info: (details, message) => log.child(ids).info(details, message),
    };
  }
}
