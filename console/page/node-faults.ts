import type { FaultInput } from '../../shared/catalog/simulation/faults.ts';

/** What faults do to an application in a rehearsal. */
export interface NodeFaults {
  /** One is set on it or on one of its APIs. */
  readonly isSet: boolean;
  /** The journal has a hop there that one struck. */
  readonly hasStruck: boolean;
  /** No call reaches it. */
  readonly isDown: boolean;
}

interface Rule {
  readonly match: FaultInput['match'];
  readonly fault: Readonly<Record<string, unknown>>;
  readonly probability?: number | undefined;
}

interface Application {
  readonly id: string;
  /** Names of the faults that struck there. */
  readonly faults: readonly string[];
}

/** Kinds that keep a call from its application. */
const CUTS_OFF: readonly unknown[] = ['outage', 'drop'];

/** @param inForce faults that may still strike @param ownerOf the application that answers an API */
export function nodeFaults(
  { id, faults: struck }: Application,
  inForce: readonly Rule[],
  ownerOf: (api: string) => string | undefined,
): NodeFaults {
  const onIt = inForce.filter(({ match: { application, api = '' } }) => (application ?? ownerOf(api)) === id);
  const cutsOff = ({ match, fault, probability = 1 }: Rule): boolean =>
    match.api === undefined && CUTS_OFF.includes(fault['kind']) && probability === 1;
  return { isSet: onIt.length > 0, hasStruck: struck.length > 0, isDown: onIt.some(cutsOff) };
}

/** A mark and a word: a fault that is set does not look like one that has struck. */
export function faultWords({ isSet, hasStruck, isDown }: NodeFaults): string | undefined {
  if (isDown) return hasStruck ? '✕ down: ⚡ struck' : '✕ down: ◇ set';
  if (hasStruck) return isSet ? '⚡ struck' : '⚡ struck, now off';
  return isSet ? '◇ fault set' : undefined;
}
