const KEY = 'estate.trace-read.';

/** Remembers, for this tab, that somebody has read a trace of the rehearsal. */
export const noteTraceRead = (rehearsal: string): void => sessionStorage.setItem(KEY + rehearsal, 'yes');

export const isTraceRead = (rehearsal: string): boolean => sessionStorage.getItem(KEY + rehearsal) !== null;
