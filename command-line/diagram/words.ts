import { apis } from '../../shared/catalog/apis.ts';
import { applications } from '../../shared/catalog/applications.ts';
import { internalCalls } from '../../shared/catalog/internal-calls.ts';
import { inOneLine } from '../../shared/domain/printable.ts';
import { type Arrow, CLIENT } from './sequence.ts';

const applicationTitles: Readonly<Record<string, string>> = {
  [CLIENT]: 'Client',
  gateway: 'Gateway',
  ...Object.fromEntries(Object.entries(applications).map(([id, { title }]) => [id, title])),
};

const apiTitles: Readonly<Record<string, string>> = Object.fromEntries(
  [...Object.values(apis), ...Object.values(internalCalls)].map(({ id, name }) => [id, name]),
);

export const participantTitle = (id: string): string => applicationTitles[id] ?? inOneLine(id, 40);

/** `Confirm Order`, or the name of an event or a timer. */
export const apiTitle = (api: string): string =>
  apiTitles[api] ?? inOneLine(api.replace(/^event:/, '').replace(/^due:/, 'timer '), 80).replace(/-api$/, '');

export const duration = (ms: number): string =>
  ms < 1 ? '<1 ms' : ms < 10_000 ? `${Math.round(ms).toLocaleString('en')} ms` : `${(ms / 1_000).toFixed(1)} s`;

/** An instant of the rehearsal's clock: `2026-11-22 11:15:53`. */
export const instant = (iso: string): string => inOneLine(iso, 30).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d).*$/, '$1 $2');

/** The label of an arrow: the call and its outcome. Events and timers have an outcome only when they fail. */
export function arrowWords({ hop, kind }: Arrow): { readonly name: string; readonly facts: string; readonly faults: readonly string[] } {
  const { api, status, durationMs, unchanged } = hop;
  const answers = kind !== 'event' && kind !== 'timer';
  const outcome = status === 0 ? ['no answer'] : answers || status >= 400 ? [String(status)] : [];
  return {
    name: apiTitle(api),
    facts: [...outcome, duration(durationMs), ...(unchanged === undefined ? [] : ['changed nothing'])].join(' · '),
    faults: hop.faults.map((name) => inOneLine(name, 60)),
  };
}

/** An arrow as a sentence, for screen readers. */
export function arrowSentence(arrow: Arrow): string {
  const { name, facts, faults } = arrowWords(arrow);
  const what = { request: '', call: '', event: 'event ', webhook: 'webhook ', timer: '' }[arrow.kind];
  const struck = faults.length > 0 ? `, struck by the fault ${faults.join(', ')}` : '';
  const way = arrow.from === arrow.to ? participantTitle(arrow.to) : `${participantTitle(arrow.from)} to ${participantTitle(arrow.to)}`;
  return `${way}: ${what}${name}, ${facts}${struck}`;
}
