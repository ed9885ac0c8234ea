import type { z } from 'zod';
import { type Progression, progressionOf } from '../../../shared/catalog/control/progression.ts';
import type { InputOf } from '../../../shared/catalog/define.ts';
import type { moveReturn } from '../../../shared/catalog/fulfillment/internal.ts';
import type { ReturnStep } from '../../../shared/catalog/fulfillment/reference-data.ts';
import { type ReturnLine, returnLifeCycle } from '../../../shared/catalog/fulfillment/returns.ts';
import { DEFAULT_CARRIER } from '../../../shared/catalog/fulfillment/shipments.ts';
import { refusal, rowFor } from '../../../shared/catalog/life-cycle.ts';
import { invalid } from '../../../shared/catalog/problems.ts';
import { instant } from '../../../shared/domain/time.ts';
import { requireObject } from '../../../shared/handlers/require-object.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { Patch, UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { nodes } from '../collections.ts';
import { bookReturnedStockDue, giveUpReturnDue, returnParcelDue, returnStepDue } from '../due-work.ts';
import { createParcel, type ParcelCopy } from '../parcels.ts';
import { returnSteps, returns, returnTasks, type StoredReturn } from './collections.ts';
import { refundFrom, settlesAt } from './refunds.ts';

type Line = z.output<typeof ReturnLine>;
type Findings = InputOf<typeof moveReturn>['body']['lines'];
type Move = 'approve' | 'receive' | 'inspect' | 'write-off';
type MoveScope = Pick<Scope, 'work' | 'context'>;

/** @throws Problem `invalid_state_transition`, with `retryable: true` while the return is being rejected */
function refuseWhileRejecting(found: StoredReturn, verb: Move): void {
  if (!found.rejecting) return;
  rowFor(returnLifeCycle, found, verb);
  const { since } = found.rejecting;
  const detail = `A rejection of the return "${found.id}" has been in progress since ${since}; repeat the request when it has ended.`;
  throw refusal(returnLifeCycle, found, verb, detail, { pendingAction: { action: 'reject', since }, retryable: true });
}

/** Refuses to move a written-off return: it is refunded even if its parcel arrives. @throws Problem `invalid_state_transition` */
export function refuseOnceWrittenOff(found: StoredReturn, verb: string): void {
  if (found.state !== 'in-transit' || found.writtenOffAt === undefined) return;
  const detail = `The return "${found.id}" was written off at ${found.writtenOffAt} and is refunded, so ${verb} is impossible.`;
  throw refusal(returnLifeCycle, found, verb, detail);
}

async function moveOn(
  found: StoredReturn,
  { verb, patch = {} }: { verb: Exclude<Move, 'write-off'>; patch?: Patch<StoredReturn> },
  { work, context }: MoveScope,
): Promise<StoredReturn> {
  refuseWhileRejecting(found, verb);
  refuseOnceWrittenOff(found, verb);
  const next = work.transition(returns, found, verb, patch);
  await planStep(work, next, { mode: progressionOf(context).returns, since: work.now });
  return next;
}

/** A return by carrier gets a parcel, which is registered and labelled before the reply, or as soon as the carrier is up. */
export async function approve(found: StoredReturn, scope: MoveScope): Promise<StoredReturn> {
  if (found.dropOff === 'store') return moveOn(found, { verb: 'approve' }, scope);
  const shipments = [...found.shipments, await createReturnParcel(found, scope)];
  scope.work.schedule(returnParcelDue, found.id, scope.work.now, {}, { beforeReply: true });
  return moveOn(found, { verb: 'approve', patch: { shipments } }, scope);
}

export function receive(found: StoredReturn, scope: MoveScope): Promise<StoredReturn> {
  scope.work.cancel(giveUpReturnDue, found.id);
  return moveOn(found, { verb: 'receive' }, scope);
}

/** Gives up waiting for the parcel. It travelled with the retailer's label, so the return is refunded as if it had arrived. */
export async function writeOff(found: StoredReturn, { work }: Pick<Scope, 'work'>): Promise<StoredReturn> {
  refuseWhileRejecting(found, 'write-off');
  refuseOnceWrittenOff(found, 'write-off');
  const next = work.transition(returns, found, 'write-off', { writtenOffAt: instant(work.now) });
  work.cancel(giveUpReturnDue, found.id);
  await refundFrom(work, next, work.now);
  return next;
}

/**
 * Records the findings of the inspection. Resellable units are on hand again before the reply, damaged ones are scrapped. Then the return
 * is refunded, or waits a week for the order of its exchange, unless it was refunded already.
 * @throws Problem `validation_failed` for a line that the return does not have, or that has two findings
 */
export async function inspect(found: StoredReturn, findings: Findings, scope: MoveScope): Promise<StoredReturn> {
  const { work } = scope;
  const stray = findings?.findIndex(({ orderLineId }) => !found.lines.some((line) => line.orderLineId === orderLineId)) ?? -1;
  if (stray >= 0) throw invalid(`/lines/${stray}/orderLineId`, 'unknown_line', `The return "${found.id}" does not have this line.`);
  const again = findings?.findIndex(({ orderLineId }, at) => findings.findIndex((one) => one.orderLineId === orderLineId) < at) ?? -1;
  if (again >= 0) throw invalid(`/lines/${again}/orderLineId`, 'duplicate_line', 'The inspection has two findings of this line; send one.');
  const findingOf = (line: Line) => findings?.find(({ orderLineId }) => orderLineId === line.orderLineId);
  const lines = found.lines.map((line) => withFinding(line, findingOf(line)));
  const next = await moveOn(found, { verb: 'inspect', patch: { lines } }, scope);
  work.schedule(bookReturnedStockDue, next.id, work.now, {}, { beforeReply: true });
  await refundFrom(work, next, settlesAt(next, work.now, work.figures));
  return next;
}

/** A line of the return, before its inspection. */
export const asAnnounced = (line: Line): Line => withFinding(line, undefined);

/** Entries for the same line are merged, with all reasons. Units that came back for several reasons are never sold again. */
const isReportedDamaged = ({ reason }: Line): boolean => reason.split(';').some((one) => one.trim().toLowerCase() === 'damaged');

/** Without a finding, the customer's reason decides the condition. Damaged units are scrapped unless the finding names another disposition. */
function withFinding(line: Line, finding: NonNullable<Findings>[number] | undefined): Line {
  const condition = finding?.condition ?? (isReportedDamaged(line) ? 'damaged' : 'resellable');
  return { ...line, condition, disposition: finding?.disposition ?? (condition === 'damaged' ? 'scrap' : 'restock') };
}

/** Stores the parcel of a return, from the customer to the location of the return. The commit of the approval writes it. */
async function createReturnParcel(found: StoredReturn, scope: Pick<Scope, 'work' | 'context'>): Promise<ParcelCopy> {
  const { id: returnId, locationId, customerAddress: from } = found;
  const node = await requireObject(scope.work, nodes, locationId, 'location');
  if (!from) throw new Error(`The return ${returnId} comes by parcel but has no customer address.`);
  // Its goods left the stock records with the original order.
  return createParcel({ returnId, carrier: DEFAULT_CARRIER, service: 'STANDARD', from, to: node.address, stockTaken: true }, scope);
}

type Step = ReturnStep['step'];

/**
 * The next step that policy, store or warehouse takes. A return by parcel is received by its scan, and an inspected return is ended by its
 * refund or exchange.
 */
export function nextStep({ state, dropOff, rejecting }: Pick<StoredReturn, 'state' | 'dropOff' | 'rejecting'>): Step | undefined {
  if (rejecting) return undefined;
  if (state === 'requested') return 'decide';
  if (state === 'approved' && dropOff === 'store') return 'receive';
  return state === 'received' ? 'inspect' : undefined;
}

const ENDED: ReadonlySet<StoredReturn['state']> = new Set(['inspected', 'refunded', 'exchanged', 'rejected']);

/** Stores the time of a return's next step and its due work. @param since the previous step, epoch ms @returns whether it changed */
export async function planStep(
  work: UnitOfWork,
  found: StoredReturn,
  { mode, since }: { mode: Progression['returns']; since: number },
): Promise<boolean> {
  const before = await work.get(returnTasks, found.id);
  const step = nextStep(found);
  const stepAt = step && (await momentOf(work, { step, mode, since }));
  work.put(returnTasks, { ...before, id: found.id, open: !ENDED.has(found.state), since, stepAt });
  if (stepAt !== undefined) work.schedule(returnStepDue, found.id, stepAt, {});
  else if (before?.stepAt !== undefined) work.cancel(returnStepDue, found.id);
  return stepAt !== before?.stepAt;
}

async function momentOf(
  work: UnitOfWork,
  { step, mode, since }: { step: Step; mode: Progression['returns']; since: number },
): Promise<number | undefined> {
  if (mode === 'manual') return undefined;
  if (mode === 'immediate') return work.now;
  const afterMs = (await work.get(returnSteps, step))?.afterMs ?? 0;
  return Math.max(work.now, since + afterMs);
}
