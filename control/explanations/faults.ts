import { apis } from '../../shared/catalog/apis.ts';
import { CARRIER } from '../../shared/catalog/control/webhooks.ts';
import type { ApiDefinition } from '../../shared/catalog/define.ts';
import { nameOf } from '../../shared/catalog/event-names.ts';
import { allEvents } from '../../shared/catalog/events.ts';
import { internalCalls } from '../../shared/catalog/internal-calls.ts';
import type { ActiveFault } from '../../shared/control/faults.ts';
import type { FaultStore } from '../../shared/store/ports/faults.ts';
import { describeFault } from '../faults/describe.ts';
import type { ExplainScope } from './subject.ts';

/** The faults of a world that can still strike. */
export async function activeFaults({ control, view: { world } }: ExplainScope): Promise<readonly ActiveFault[]> {
  const { rules }: Awaited<ReturnType<FaultStore['faults']>> = await control.faults(world);
  return rules.map(describeFault).filter(({ times, hits }) => times === undefined || hits < times);
}

const calls: Readonly<Record<string, ApiDefinition | undefined>> = { ...apis, ...internalCalls };

/** Whether a fault can strike a call, by its id. */
export function strikesCall({ match }: ActiveFault, id: string): boolean {
  if (match.event !== undefined || match.webhook !== undefined) return false;
  if (match.api !== undefined) return match.api === id;
  return match.application === undefined || match.application === calls[id]?.application;
}

/** Whether a call that the fault strikes fails for its caller. */
export const failsCalls = ({ fault: { kind } }: ActiveFault): boolean =>
  kind === 'outage' || kind === 'drop' || kind === 'status' || kind === 'lost-response';

/** Whether each call that the fault strikes fails, until the fault is deleted. */
export const refusesAll = ({ fault, times, probability }: ActiveFault): boolean =>
  (fault.kind === 'outage' || fault.kind === 'drop' || fault.kind === 'status') && times === undefined && probability === undefined;

/** Whether a fault can strike the next events of an object, or the scans of a parcel. */
export function strikesNewsOf({ match }: ActiveFault, { type, subject }: { readonly type: string; readonly subject: string }): boolean {
  if (match.webhook === CARRIER) return type === 'shipment';
  if (match.event === undefined || (match.subject !== undefined && match.subject !== subject)) return false;
  const name = nameOf(match.event);
  return allEvents.find((event) => event.name === name)?.object === type;
}
