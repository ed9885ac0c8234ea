export type Tone = 'good' | 'warn' | 'bad' | 'event' | 'move';

export const toneOf = (status: number): Tone => (status >= 500 || status === 0 ? 'bad' : status >= 400 ? 'warn' : 'good');

/** Wall time: `11:15:53`, with the date unless it is today: `22 Nov 11:15:53`. */
export function wallTime(instant: string | number): string {
  const at = new Date(instant);
  const time = at.toLocaleTimeString('en-GB');
  if (at.toDateString() === new Date().toDateString()) return time;
  return `${at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })} ${time}`;
}

/** An instant of the rehearsal's clock, in UTC: `2026-11-22 11:15Z`. */
export const rehearsalTime = (instant: string): string => `${instant.slice(0, 10)} ${instant.slice(11, 16)}Z`;

/** In a column, in UTC: `11:15` on the day of the rehearsal's clock, `22 Nov 11:15` in its year, `22 Nov 2025` otherwise. */
export function columnTime(instant: string, today: string | undefined): string {
  const time = instant.slice(11, 16);
  if (instant.slice(0, 10) === today) return time;
  const isThisYear = today === undefined || instant.slice(0, 4) === today.slice(0, 4);
  const day = new Date(`${instant.slice(0, 10)}T00:00:00Z`).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    year: isThisYear ? undefined : 'numeric',
    timeZone: 'UTC',
  });
  return isThisYear ? `${day} ${time}` : day;
}

/** With seconds: `2026-11-22 11:15:53Z`. */
export const rehearsalSecond = (instant: string): string => `${instant.slice(0, 10)} ${instant.slice(11, 19)}Z`;

/** Created once, because a long trace formats many durations. */
const WHOLE_NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

export const duration = (ms: number): string =>
  ms < 1 ? 'under 1 ms' : ms < 10_000 ? `${WHOLE_NUMBER.format(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** Why an application is not ready, after its name: `cannot be reached`. @param clause its subject is `it` */
export const whyAway = (clause = 'it does not answer'): string => clause.replace(/^it /, '');

/** An id, shortened: `ord_…WDWMH`. */
export const shortId = (id: string): string => (id.length <= 16 ? id : `${id.slice(0, 4)}…${id.slice(-5)}`);

/** The subject of an event, shortened: `order/ord_…WDWMH`. */
export const shortSubject = (subject: string): string => {
  const [type = '', id = ''] = subject.split('/');
  return `${type}/${shortId(id)}`;
};
