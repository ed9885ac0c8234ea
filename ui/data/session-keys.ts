/** Names in sessionStorage. The references read them too, and load nothing else of the console. */
export const CONTROL = 'estate.control';
export const OF_REHEARSAL = 'estate.rehearsal.';
export const LAST_REHEARSAL = 'estate.last-rehearsal';
const TRACE_READ = 'estate.trace-read.';

/** The rehearsal that this tab showed last; pages of the whole estate lead back to it. */
export const lastRehearsal = (): string => sessionStorage.getItem(LAST_REHEARSAL) ?? 'default';

export const noteRehearsal = (rehearsal: string): void => sessionStorage.setItem(LAST_REHEARSAL, rehearsal);

export function forgetRehearsal(rehearsal: string): void {
  if (lastRehearsal() === rehearsal) sessionStorage.removeItem(LAST_REHEARSAL);
}

/** Remembers, for this tab, that somebody has read a trace of the rehearsal. */
export const noteTraceRead = (rehearsal: string): void => sessionStorage.setItem(TRACE_READ + rehearsal, 'yes');

export const isTraceRead = (rehearsal: string): boolean => sessionStorage.getItem(TRACE_READ + rehearsal) !== null;
