import { LAST_REHEARSAL } from './session-keys.ts';

/** The rehearsal that this tab showed last; pages of the whole estate lead back to it. */
export const lastRehearsal = (): string => sessionStorage.getItem(LAST_REHEARSAL) ?? 'default';

export const noteRehearsal = (rehearsal: string): void => sessionStorage.setItem(LAST_REHEARSAL, rehearsal);

export function forgetRehearsal(rehearsal: string): void {
  if (lastRehearsal() === rehearsal) sessionStorage.removeItem(LAST_REHEARSAL);
}
