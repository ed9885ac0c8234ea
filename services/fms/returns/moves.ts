import type { z } from 'zod';
import type { InputOf } from '../../../shared/catalog/define.ts';
import type { moveReturn } from '../../../shared/catalog/fulfillment/internal.ts';
import { type ReturnLine, returnLifeCycle } from '../../../shared/catalog/fulfillment/returns.ts';
import { refuseTransition } from '../../../shared/catalog/life-cycle.ts';
import { invalid, Problem } from '../../../shared/catalog/problems.ts';
import { progressionOf } from '../../../shared/catalog/simulation/progression.ts';
import { instant } from '../../../shared/domain/time.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { Patch } from '../../../shared/work/unit-of-work.ts';
import { returns, type StoredReturn } from './collections.ts';
import { bookReturnedStockDue, giveUpReturnDue, returnParcelDue, settleReturnDue } from './due-work.ts';
import { newParcel } from './parcel.ts';
import { paidOf } from './refunds.ts';
import { planStep } from './return-clock.ts';
import { EXCHANGE_WAIT_MS } from './timing.ts';

type Line = z.output<typeof ReturnLine>;
type Findings = InputOf<typeof moveReturn>['body']['lines'];
type Moved = Pick<Scope, 'work' | 'context'>;

/** @throws Problem `invalid_state_transition` with `retryable: true` while the OMS is asked whether it may be rejected */
function refuseWhileRejecting(found: StoredReturn, verb: string): void {
  if (!found.rejecting) return;
  throw refuseTransition(returnLifeCycle, found, verb, {
    pendingAction: { action: 'reject', since: found.rejecting.since },
    retryable: true,
  });
}

/** @throws Problem `invalid_state_transition`: it is paid back, whatever becomes of its parcel */
export function refuseOnceWrittenOff(found: StoredReturn, verb: string): void {
  if (found.state !== 'in-transit' || found.writtenOffAt === undefined) return;
  const { context } = refuseTransition(returnLifeCycle, found, verb);
  const detail = `The return "${found.id}" was written off at ${found.writtenOffAt}: it is paid back, and ${verb} is possible no more.`;
  throw new Problem('invalid_state_transition', detail, context);
}

/** Moves a return on, and plans what follows by itself. */
async function moved(
  found: StoredReturn,
  { verb, patch = {} }: { readonly verb: 'approve' | 'receive' | 'inspect'; readonly patch?: Patch<StoredReturn> },
  { work, context }: Moved,
): Promise<StoredReturn> {
  refuseWhileRejecting(found, verb);
  refuseOnceWrittenOff(found, verb);
  const next = work.transition(returns, found, verb, patch);
  await planStep(work, next, { mode: progressionOf(context).returns, since: work.now });
  return next;
}

/** Policy says yes. What comes by parcel gets one: registered and labelled before the reply, or as soon as the carrier can be had. */
export async function approve(found: StoredReturn, scope: Moved): Promise<StoredReturn> {
  if (found.dropOff === 'store') return moved(found, { verb: 'approve' }, scope);
  const shipments = [...found.shipments, await newParcel(found, scope)];
  scope.work.schedule(returnParcelDue, found.id, scope.work.now, {}, { beforeReply: true });
  return moved(found, { verb: 'approve', patch: { shipments } }, scope);
}

export function receive(found: StoredReturn, scope: Moved): Promise<StoredReturn> {
  scope.work.cancel(giveUpReturnDue, found.id);
  return moved(found, { verb: 'receive' }, scope);
}

/** Nobody waits for its parcel any more. It was sent with a label of the retailer, who therefore pays it back as if it had come. */
export function writeOff(found: StoredReturn, { work }: Pick<Scope, 'work'>): StoredReturn {
  refuseWhileRejecting(found, 'write-off');
  refuseOnceWrittenOff(found, 'write-off');
  const next = work.transition(returns, found, 'write-off', { writtenOffAt: instant(work.now) });
  work.cancel(giveUpReturnDue, found.id);
  work.schedule(settleReturnDue, found.id, work.now, {});
  return next;
}

/**
 * What was found: resellable units are on hand again before the reply, damaged ones are thrown away. Then it is paid back, or waits a
 * week for the order that it is exchanged for, unless somebody has paid it back already.
 * @throws Problem `validation_failed` for a line that the return does not have
 */
export async function inspect(found: StoredReturn, findings: Findings, scope: Moved): Promise<StoredReturn> {
  const { work } = scope;
  const stray = findings?.findIndex(({ orderLineId }) => !found.lines.some((line) => line.orderLineId === orderLineId)) ?? -1;
  if (stray >= 0) throw invalid(`/lines/${stray}/orderLineId`, 'unknown_line', `The return "${found.id}" has no such line.`);
  const lines = found.lines.map((line) =>
    inspected(
      line,
      findings?.find(({ orderLineId }) => orderLineId === line.orderLineId),
    ),
  );
  const next = await moved(found, { verb: 'inspect', patch: { lines } }, scope);
  work.schedule(bookReturnedStockDue, next.id, work.now, {}, { beforeReply: true });
  work.schedule(settleReturnDue, next.id, settlesAt(next, work.now), {});
  return next;
}

/** When an inspected return is paid back: at once, unless it waits for the order that it is exchanged for. */
export const settlesAt = (found: StoredReturn, inspectedAt: number): number =>
  found.resolution === 'exchange' && paidOf(found) < found.refundAmount.amount ? inspectedAt + EXCHANGE_WAIT_MS : inspectedAt;

/** What nobody inspected is as its customer said. */
export const asAnnounced = (line: Line): Line => inspected(line, undefined);

/** Without a word on a line it is as its customer said. What is damaged is thrown away unless somebody knows better. */
function inspected(line: Line, finding: NonNullable<Findings>[number] | undefined): Line {
  const condition = finding?.condition ?? (line.reason.trim().toLowerCase() === 'damaged' ? 'damaged' : 'resellable');
  return { ...line, condition, disposition: finding?.disposition ?? (condition === 'damaged' ? 'scrap' : 'restock') };
}
