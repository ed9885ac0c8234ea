import type { Progression } from '../../shared/catalog/control/progression.ts';
import { pickingMoves } from '../../shared/catalog/fulfillment/picking-orders.ts';
import { refusal } from '../../shared/catalog/life-cycle.ts';
import { conflictingRepeat, invalid } from '../../shared/catalog/problems.ts';
import type { PickedLines, PickingOrder, PickingStatus } from './collections.ts';

const moves: Readonly<Record<PickingStatus, readonly PickingStatus[]>> = pickingMoves;

/** The statuses that allow a move to `status`. */
export const statusesBefore = (status: PickingStatus): readonly PickingStatus[] =>
  (Object.keys(moves) as PickingStatus[]).filter((from) => moves[from].includes(status));

/**
 * @param mode how the rehearsal's warehouse works: the caller may be late because the warehouse took the step automatically
 * @throws Problem `invalid_state_transition` unless the picking order may become `status` now
 */
export function refuseMove(order: Pick<PickingOrder, 'id' | 'status'>, status: PickingStatus, mode: Progression['warehouse']): void {
  if (moves[order.status].includes(status)) return;
  const remedy =
    mode === 'manual'
      ? ''
      : ` The warehouse of this rehearsal works automatically (${mode}); set its progression to manual to work by hand.`;
  throw refusal(
    'picking-order',
    { id: order.id, state: order.status },
    status,
    `The picking order "${order.id}" is ${order.status}; it becomes ${status} from ${statusesBefore(status).join(', ')}.${remedy}`,
    { allowedFrom: statusesBefore(status) },
  );
}

interface ReportedLine {
  readonly orderLineId: string;
  readonly sku?: string;
  readonly pickedQty: number;
}

export interface PickedReport {
  readonly status: PickingStatus;
  readonly lines?: readonly ReportedLine[];
}

/**
 * The picked quantities of all lines. A line that the report does not name was picked in full.
 * @returns undefined for a status that picks nothing
 * @throws Problem `validation_failed` at the line that does not fit the picking order, or the status
 */
export function pickedLines(order: Pick<PickingOrder, 'lines'>, { status, lines: reported = [] }: PickedReport): PickedLines | undefined {
  if (status !== 'picked' && status !== 'short') {
    if (reported.length === 0) return undefined;
    throw invalid('/lines', 'unexpected_lines', `Nothing is picked with status ${status}; send lines with picked or short.`);
  }
  reported.forEach((line, position) => {
    checkLine(order, { line, position, status });
  });
  const repeated = reported.findIndex(
    ({ orderLineId }, position) => reported.findIndex((line) => line.orderLineId === orderLineId) < position,
  );
  if (repeated >= 0) throw invalid(`/lines/${repeated}/orderLineId`, 'repeated_line', 'Each line is named once.');
  const picked = order.lines.map(({ orderLineId, qty }) => ({
    orderLineId,
    pickedQty: reported.find((line) => line.orderLineId === orderLineId)?.pickedQty ?? qty,
  }));
  if (status === 'short' && picked.every(({ pickedQty }, position) => pickedQty === order.lines[position]?.qty)) {
    throw invalid('/lines', 'nothing_short', 'All units of all lines were picked: that is status picked.');
  }
  return picked;
}

/** @throws Problem `conflicting_repeat` for a repeated status with other quantities */
export function refuseOtherPicking(order: Pick<PickingOrder, 'id' | 'status' | 'lines'>, report: PickedReport): void {
  const standing = order.lines.map(({ orderLineId, pickedQty }) => ({ orderLineId, pickedQty }));
  if (isSamePicking(pickedLines(order, report), standing)) return;
  throw conflictingRepeat(
    `The picking order "${order.id}" is ${order.status} already, with other quantities; a repeat does not change them.`,
    { lines: standing },
    { objectType: 'picking-order', id: order.id },
  );
}

/** Whether the report names the same quantities; a report without lines names no others. */
export const isSamePicking = (reported: PickedLines | undefined, known: PickedLines | undefined): boolean =>
  reported === undefined ||
  reported.every(({ orderLineId, pickedQty }) => known?.find((line) => line.orderLineId === orderLineId)?.pickedQty === pickedQty);

function checkLine(
  order: Pick<PickingOrder, 'lines'>,
  { line, position, status }: { readonly line: ReportedLine; readonly position: number; readonly status: PickingStatus },
): void {
  const at = `/lines/${position}`;
  const known = order.lines.find(({ orderLineId }) => orderLineId === line.orderLineId);
  if (!known) throw invalid(`${at}/orderLineId`, 'unknown_line', `This picking order has no line "${line.orderLineId}".`);
  if (line.sku !== undefined && line.sku !== known.sku) {
    throw invalid(`${at}/sku`, 'other_sku', `The line "${line.orderLineId}" is about ${known.sku}, not ${line.sku}.`);
  }
  if (line.pickedQty > known.qty) {
    throw invalid(`${at}/pickedQty`, 'too_many', `At most ${known.qty} of ${known.sku} can be picked, not ${line.pickedQty}.`);
  }
  if (status === 'picked' && line.pickedQty < known.qty) {
    throw invalid(
      `${at}/pickedQty`,
      'too_few',
      `${line.pickedQty} of ${known.qty} is short: send status short, so that the rest is served from elsewhere.`,
    );
  }
}
