import type { Context } from '../../control/context.ts';
import { digest, randomToken } from '../../domain/ids.ts';
import type { Ms } from '../../domain/time.ts';
import { BACKOFF_MS, type PlannedDue } from '../../store/ports/due-work.ts';
import type { DueWork } from '../due-work.ts';
import type { DueOptions } from '../unit-of-work.ts';

interface ScheduleParts {
  readonly context: Context;
  /** Request id of the hop. */
  readonly hopId: string;
  /** Wall time of the lease on due work that runs before the reply. */
  readonly beforeReplyLeaseMs: number;
}

const OCCASION_LENGTH = 20;

/** Due work that runs before the reply, with its content: the process that commits it need not read it again. */
export type DueBeforeReply = PlannedDue & {
  readonly at: Ms;
  readonly lease: NonNullable<PlannedDue['lease']>;
  readonly occasion: string;
};

const isBeforeReply = (due: PlannedDue): due is DueBeforeReply => due.lease !== undefined;

/** The due work that the next commit schedules or cancels. The last call for a kind and key counts. */
export class Schedule {
  readonly #parts: ScheduleParts;
  #planned: PlannedDue[] = [];
  #commits = 0;

  constructor(parts: ScheduleParts) {
    this.#parts = parts;
  }

  add({ kind }: DueWork, key: string, at: Ms, payload: unknown, options: DueOptions = {}): void {
    const { context, hopId, beforeReplyLeaseMs } = this.#parts;
    const { beforeReply = false, withheldBy, correlationId = context.correlationId, awaits, isLastAttempt = false } = options;
    const lease = beforeReply ? { token: randomToken(), until: Date.now() + beforeReplyLeaseMs } : undefined;
    this.#replace({
      kind,
      key,
      at,
      payload: JSON.stringify(payload ?? null),
      correlationId,
      traceparent: context.traceparent,
      hop: hopId,
      lease,
      withheldBy,
      withheldAt: context.faults,
      awaits,
      attempts: isLastAttempt ? BACKOFF_MS.length : undefined,
      occasion: context.seed === undefined ? lease?.token : digest(context.requestId, String(this.#commits)).slice(0, OCCASION_LENGTH),
    });
  }

  cancel({ kind }: DueWork, key: string): void {
    this.#replace({ kind, key, at: null, payload: 'null', correlationId: this.#parts.context.correlationId });
  }

  planned(): readonly PlannedDue[] {
    return this.#planned;
  }

  /** Planned work that runs before the reply. */
  beforeReply(): readonly DueBeforeReply[] {
    return this.#planned.filter(isBeforeReply);
  }

  clear(): void {
    this.#commits += 1;
    this.#planned = [];
  }

  #replace(due: PlannedDue): void {
    const isOther = ({ kind, key }: { readonly kind: string; readonly key: string }): boolean => kind !== due.kind || key !== due.key;
    this.#planned = [...this.#planned.filter(isOther), due];
  }
}
