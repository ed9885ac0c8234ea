import type { ControlOperation } from '../../shared/catalog/control/define-operation.ts';
import { MOST_REDACTED, redactValue } from '../../shared/domain/redaction.ts';
import { ifPossible } from '../../shared/process/harmless.ts';
import type { Logger } from '../../shared/process/logger.ts';
import type { Worlds } from '../../shared/store/ports/estate-store.ts';
import type { EnteredRehearsal, SentInput } from '../operate.ts';

/** A change that a person or a client made to a rehearsal by an operation of the control plane. Secrets are redacted. */
export interface OperationRecord {
  readonly id: string;
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly correlationId: string;
  /** Epoch milliseconds of the rehearsal's clock when it began. */
  readonly at: number;
  /** Sequence of the newest hop when it began. */
  readonly afterHop: number;
  /** Order of the last event when it began. */
  readonly afterEvent: number;
}

/** Operations with another method than GET that change nothing in the world, or end it. */
const WITHOUT_CHANGE: ReadonlySet<string> = new Set([
  'settle',
  'wait-for-events',
  'verify',
  'verify-sequence',
  'reset-rehearsal',
  'check-system',
  'save-snapshot',
  'upload-snapshot',
  'delete-snapshot',
  'compare-worlds',
  'redeliver-webhook',
  'rotate-webhook-secret',
]);

export const isRecorded = ({ id, method }: ControlOperation): boolean => method !== 'GET' && !WITHOUT_CHANGE.has(id);

/** The record of a body that is too long to be redacted in one turn. No story can repeat it. */
const CUT = { truncated: true } as const;

/** Runs an operation, and records it once it has succeeded. */
export async function recorded<T>(
  { worlds, log }: { readonly worlds: Worlds; readonly log: Logger },
  { id, sent, entered }: { readonly id: string; readonly sent: SentInput; readonly entered: EnteredRehearsal },
  run: () => Promise<T>,
): Promise<T> {
  const { world, view, correlationId } = entered;
  const [{ newest }, { last }] = await Promise.all([
    worlds.journalOf(world, { limit: 1, bodies: false }),
    worlds.eventsAbout(world, { by: 'named' }, 0, 1),
  ]);
  const result = await run();
  const { params, body } = sent;
  const isLong = (JSON.stringify(body)?.length ?? 0) > MOST_REDACTED;
  const shown = redactValue({ params, body: isLong ? CUT : body }) as Pick<OperationRecord, 'params' | 'body'>;
  const record: OperationRecord = { id, ...shown, correlationId, at: view.now, afterHop: newest, afterEvent: last };
  await ifPossible(log, 'recording an operation', () => worlds.addEntry(world, 'operations', JSON.stringify(record)));
  return result;
}
