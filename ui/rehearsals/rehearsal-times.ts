import type { Output } from '../data/control.ts';

/** Wall time, in the zone of the browser. */
export const wallInstant = (instant: string): string =>
  new Date(instant).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

type Used = Pick<Output<'list-rehearsals'>['items'][number], 'name' | 'lastUsedAt' | 'endsAt'>;

export const useOf = (used: Used): string => `used ${wallInstant(used.lastUsedAt)}, ${endOf(used)}`;

function endOf({ name, endsAt }: Used): string {
  if (endsAt !== undefined) return `ends ${wallInstant(endsAt)} unless used`;
  return name === 'default' ? 'never ends; it can only be reset' : 'kept until it is deleted';
}

/** Wall time since an instant, roughly. */
export function agoOf(instant: string): string {
  const minutes = Math.max(0, Math.round((Date.now() - Date.parse(instant)) / 60_000));
  if (minutes < 90) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}
