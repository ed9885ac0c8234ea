import type { FaultInput } from '../../shared/catalog/control/faults.ts';

/** What faults do to an application in a rehearsal. */
export interface NodeFaults {
  /** Whether a fault is set on it, on one of its APIs, on an event that it publishes or on a webhook that it sends. */
  readonly isSet: boolean;
  /** Whether a fault has struck a hop there, or a message that it sends. */
  readonly hasStruck: boolean;
  /** Whether faults keep all calls away from it. */
  readonly isDown: boolean;
}

interface Rule {
  readonly match: FaultInput['match'];
  readonly fault: Readonly<Record<string, unknown>>;
  readonly probability?: number;
  readonly skip?: number;
  /** Number of strikes. */
  readonly hits?: number;
}

interface Application {
  readonly id: string;
  /** Names of the faults that struck there. */
  readonly faults: readonly string[];
}

/** Kinds that keep a call from its application. */
const CUTS_OFF: readonly unknown[] = ['outage', 'drop'];

/** Who answers an API, publishes an event or sends a webhook. */
interface Owners {
  readonly api: (api: string) => string | undefined;
  readonly event: (event: string) => string | undefined;
}

/** @param inForce faults that may still strike */
export function nodeFaults({ id, faults: struck }: Application, inForce: readonly Rule[], owners: Owners): NodeFaults {
  const onIt = inForce.filter(({ match }) => targetOf(match, owners) === id);
  const cutsOff = ({ match, fault, probability = 1, skip = 0 }: Rule): boolean =>
    match.application !== undefined &&
    match.api === undefined &&
    match.caller === undefined &&
    CUTS_OFF.includes(fault['kind']) &&
    probability === 1 &&
    skip === 0;
  // A message that was struck leaves no hop at its sender.
  const hitMessages = ({ match, hits = 0 }: Rule): boolean => hits > 0 && (match.event ?? match.webhook) !== undefined;
  return { isSet: onIt.length > 0, hasStruck: struck.length > 0 || onIt.some(hitMessages), isDown: onIt.some(cutsOff) };
}

function targetOf({ application, api, event, webhook }: Rule['match'], owners: Owners): string | undefined {
  if (application !== undefined) return application;
  if (api !== undefined) return owners.api(api);
  if (event !== undefined) return owners.event(event);
  return webhook === 'carrier' ? 'carrier-platform' : undefined;
}

/** A mark and a word: a fault that is set does not look like one that has struck. */
export function faultWords({ isSet, hasStruck, isDown }: NodeFaults): string | undefined {
  if (isDown) return hasStruck ? '✕ down: ⚡ struck' : '✕ down: ◇ set';
  if (hasStruck) return isSet ? '⚡ struck' : '⚡ struck, now off';
  return isSet ? '◇ fault set' : undefined;
}
