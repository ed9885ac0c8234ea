import { conflictingRepeat } from '../catalog/problems.ts';

type Members = Readonly<Record<string, string | undefined>>;

interface Done {
  readonly objectType: string;
  readonly id: string;
  /** The completed action, as in `was dispatched`. */
  readonly what: string;
  /** An alternative for the caller. */
  readonly remedy?: string;
}

/**
 * Accepts a natural repeat: it names no values, or the values in effect.
 * @param asked members of the request; undefined where the request names none
 * @param standing the values in effect; undefined where none was ever given
 * @throws Problem `conflicting_repeat` with the values in effect, when the request names others
 */
export function refuseOtherContent(asked: Members, standing: Members, { objectType, id, what, remedy }: Done): void {
  const differs = Object.entries(asked).some(([member, value]) => value !== undefined && value !== standing[member]);
  if (!differs) return;
  const values = Object.fromEntries(Object.keys(standing).map((member) => [member, standing[member] ?? null]));
  const named = Object.entries(values).map(([member, value]) => (value === null ? `no ${member}` : `${member} "${value}"`));
  const detail = `The ${objectType} "${id}" ${what} with ${named.join(' and ')}; a repeat does not change that.`;
  throw conflictingRepeat(remedy === undefined ? detail : `${detail} ${remedy}`, values, { objectType, id });
}
