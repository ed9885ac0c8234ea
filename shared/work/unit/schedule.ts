import { randomToken } from '../../domain/ids.ts';
import type { Ms } from '../../domain/time.ts';
import type { Context } from '../../simulation/context.ts';
import type { PlannedDue } from '../../store/ports/due-work.ts';
import type { DueWork } from '../due-work.ts';
import type { DueOptions, UnitOfWork } from '../unit-of-work.ts';

/** Due work that this process runs before the reply. */
export interface InlineDue {
  readonly kind: string;
  readonly key: string;
  readonly token: string;
}

interface ScheduleParts {
  readonly context: Context;
  /** Request id of the hop. */
  readonly hop: string;
  /** Wall time for which others may not run due work that runs before the reply. */
  readonly inlineLeaseMs: number;
}

/** The due work that the next commit schedules or cancels. The last word about a kind and key counts. */
export function createSchedule({ context, hop, inlineLeaseMs }: ScheduleParts) {
  let planned: PlannedDue[] = [];
  let inline: InlineDue[] = [];

  function replace(due: PlannedDue): void {
    const isOther = ({ kind, key }: { readonly kind: string; readonly key: string }): boolean => kind !== due.kind || key !== due.key;
    planned = [...planned.filter(isOther), due];
    inline = inline.filter(isOther);
    if (due.lease) inline.push({ kind: due.kind, key: due.key, token: due.lease.token });
  }

  const api: Pick<UnitOfWork, 'schedule' | 'cancel'> = {
    schedule(
      { kind }: DueWork,
      key: string,
      at: Ms,
      payload: unknown,
      { beforeReply = false, withheldBy, correlationId = context.correlationId }: DueOptions = {},
    ) {
      replace({
        kind,
        key,
        at,
        payload: JSON.stringify(payload ?? null),
        correlationId,
        traceparent: context.traceparent,
        hop,
        lease: beforeReply ? { token: randomToken(), until: Date.now() + inlineLeaseMs } : undefined,
        withheldBy,
        withheldAt: context.faults,
      });
    },
    cancel({ kind }, key) {
      replace({ kind, key, at: null, payload: 'null', correlationId: context.correlationId });
    },
  };

  return {
    api,
    planned: (): readonly PlannedDue[] => planned,
    /** Planned work that runs before the reply. */
    inline: (): readonly InlineDue[] => inline,
    clear(): void {
      planned = [];
      inline = [];
    },
  };
}

export type Schedule = ReturnType<typeof createSchedule>;
