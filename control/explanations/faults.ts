import { apis } from '../../shared/catalog/apis.ts';
import { mayStrikeFrom, OUTSIDE, strikesClientsOnly } from '../../shared/catalog/control/faults.ts';
import { CARRIER } from '../../shared/catalog/control/webhooks.ts';
import type { ApiDefinition } from '../../shared/catalog/define.ts';
import { nameOf } from '../../shared/catalog/event-names.ts';
import { allEvents } from '../../shared/catalog/events.ts';
import { internalCalls } from '../../shared/catalog/internal-calls.ts';
import type { Row } from '../../shared/catalog/life-cycle.ts';
import { type ActiveFault, describeFault } from '../../shared/control/faults.ts';
import type { FaultStore } from '../../shared/store/ports/faults.ts';
import type { ExplainScope, Subject } from './subject.ts';

/** The faults that can still strike in a world. Those that strike clients only hold nothing up. */
export async function activeFaults({ control, view: { world } }: ExplainScope): Promise<readonly ActiveFault[]> {
  const { rules }: Awaited<ReturnType<FaultStore['faults']>> = await control.faults(world);
  return rules.map(describeFault).filter(({ fault, times, hits }) => !strikesClientsOnly(fault) && (times === undefined || hits < times));
}

const calls: Readonly<Record<string, ApiDefinition | undefined>> = { ...apis, ...internalCalls };

/** Whether a fault can strike the call with this id. */
export function strikesCall({ match }: ActiveFault, id: string): boolean {
  if (match.event !== undefined || match.webhook !== undefined) return false;
  if (match.caller !== undefined && !mayStrikeFrom(match.caller, id)) return false;
  if (match.api !== undefined) return match.api === id;
  return match.application === undefined || match.application === calls[id]?.application;
}

/** Whether the fault makes a call fail for its caller. */
export const failsCalls = ({ fault: { kind } }: ActiveFault): boolean =>
  kind === 'outage' || kind === 'drop' || kind === 'status' || kind === 'lost-response';

/** Whether the fault makes every matching call of a client fail until the fault is deleted. */
export const refusesAll = ({ match: { caller = OUTSIDE }, fault, times, skip, probability }: ActiveFault): boolean =>
  (fault.kind === 'outage' || fault.kind === 'drop' || fault.kind === 'status') &&
  caller === OUTSIDE &&
  [times, skip, probability].every((limit) => limit === undefined);

/** The news of an object that a fault can still strike: `event order-confirmed`, or the scans of a parcel. */
export function newsStruckBy({ match }: ActiveFault, { type, subject, state, of }: Subject): string | undefined {
  if (match.webhook === CARRIER) return type === 'shipment' ? 'next scans' : undefined;
  if (match.event === undefined || (match.subject !== undefined && match.subject !== subject)) return undefined;
  const name = nameOf(match.event);
  if (allEvents.find((event) => event.name === name)?.object !== type) return undefined;
  return canFollow(of.definition.lifeCycle?.rows ?? [], name, state) ? `event ${name}` : undefined;
}

/** Whether a row from the state, or from a later one, has the event. An event without a row may always follow. */
function canFollow(rows: readonly Row<string, string>[], event: string, state: string | undefined): boolean {
  const having = rows.filter(({ events = [] }) => (events as readonly string[]).includes(event));
  if (having.length === 0 || state === undefined) return true;
  const reached = new Set<string | null>([state]);
  for (const from of reached) for (const row of rows) if (row.from.includes(from)) for (const to of row.to) reached.add(to);
  return having.some(({ from }) => from.some((before) => reached.has(before)));
}
