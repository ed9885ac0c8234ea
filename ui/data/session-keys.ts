/** Names in sessionStorage. The references read them too, and load nothing else of the console. */
export const CONTROL = 'estate.control';
export const OF_REHEARSAL = 'estate.rehearsal.';
export const LAST_REHEARSAL = 'estate.last-rehearsal';
