import { conflictingRepeat } from '../catalog/problems.ts';

type Members = Readonly<Record<string, string | undefined>>;

interface Done {
  readonly objectType: string;
  readonly id: string;
  /** What has happened to it: `was dispatched`. */
  readonly what: string;
  /** What its caller can do instead. */
  readonly remedy?: string;
}

/**
 * A repeat asks for what exists: it names nothing, or the same values.
 * @param asked the members of the request; what is undefined is not asked for
 * @param standing the values of the same members that stand; what is undefined was never given
 * @throws Problem `conflicting_repeat` with the values that stand, when the request names others
 */
export function refuseOtherContent(asked: Members, standing: Members, { objectType, id, what, remedy }: Done): void {
  const differs = Object.entries(asked).some(([member, value]) => value !== undefined && value !== standing[member]);
  if (!differs) return;
  const values = Object.fromEntries(Object.keys(standing).map((member) => [member, standing[member] ?? null]));
  const named = Object.entries(values).map(([member, value]) => (value === null ? `no ${member}` : `${member} "${value}"`));
  const detail = `The ${objectType} "${id}" ${what} with ${named.join(' and ')}; a repeat does not change that.`;
  throw conflictingRepeat(remedy === undefined ? detail : `${detail} ${remedy}`, values, { objectType, id });
}
