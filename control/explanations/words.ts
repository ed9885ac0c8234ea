import { apis } from '../../shared/catalog/apis.ts';
import { applications } from '../../shared/catalog/applications.ts';
import { nameOf } from '../../shared/catalog/event-names.ts';
import { internalCalls } from '../../shared/catalog/internal-calls.ts';
import { instant, type Ms } from '../../shared/domain/time.ts';

/** Nouns before the label of an object. Default: the type. */
const NOUNS: Readonly<Record<string, string>> = {
  payment: 'payment of',
  shipment: 'parcel',
  return: 'return over',
};

/** `order 2026-000123`, `payment of 25.98 EUR card` */
export const objectName = (type: string, id: string, label: string | undefined): string =>
  label === undefined || label === id ? `${type.replaceAll('-', ' ')} ${id}` : `${NOUNS[type] ?? type.replaceAll('-', ' ')} ${label}`;

export const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** `10:04`; with the date if it is another day than `now`: `27 May, 10:04`. In UTC, as the rehearsal's clock. */
export function clockTime(at: Ms | string, now: Ms): string {
  const text = typeof at === 'number' ? instant(at) : at;
  const time = text.slice(11, 16);
  if (text.slice(0, 10) === instant(now).slice(0, 10)) return time;
  const date = new Date(text);
  const year = text.slice(0, 4) === instant(now).slice(0, 4) ? undefined : 'numeric';
  return `${date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year, timeZone: 'UTC' })}, ${time}`;
}

export const applicationTitle = (id: string): string =>
  id in applications ? applications[id as keyof typeof applications].title : id.charAt(0).toUpperCase() + id.slice(1);

const titles: Readonly<Record<string, { readonly name: string } | undefined>> = { ...apis, ...internalCalls };

/** `Confirm Order`; the name of an event. */
export const callTitle = (id: string): string => titles[id]?.name ?? nameOf(id).replace(/^ext\./, '');

export const listed = (words: readonly string[], last = 'and'): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
