const KEY = 'estate.last-rehearsal';

/** The rehearsal that this tab showed last; pages of the whole estate lead back to it. */
export const lastRehearsal = (): string => sessionStorage.getItem(KEY) ?? 'default';

export const noteRehearsal = (rehearsal: string): void => sessionStorage.setItem(KEY, rehearsal);

export function forgetRehearsal(rehearsal: string): void {
  if (lastRehearsal() === rehearsal) sessionStorage.removeItem(KEY);
}
