import type { ApiDefinition } from './define.ts';
import { objects } from './objects.ts';

const repeatTriggers = objects.flatMap(({ lifeCycle }) => lifeCycle?.rows.filter(({ again }) => again).map(({ trigger }) => trigger) ?? []);

/**
 * Whether a repeat without a key succeeds and changes nothing: a repeat row of a life cycle names the API, or the API distinguishes
 * repeats with other content. A carrier repeats by webhook-id.
 */
export const answersRepeats = ({ name, auth, problems }: ApiDefinition): boolean =>
  auth === 'signature' || problems.includes('conflicting_repeat') || repeatTriggers.some((trigger) => trigger.includes(name));
