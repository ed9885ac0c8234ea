import { inOneLine } from '../../shared/domain/printable.ts';
import { apiTitle, applicationTitle } from '../data/titles.ts';
import { duration } from '../kit/format.ts';
import type { Message } from './sequence.ts';

/** An instant of the rehearsal's clock: `2026-11-22 11:15:53`. */
export const instant = (iso: string): string => inOneLine(iso, 30).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d).*$/, '$1 $2');

/** The label of an arrow: the call and its outcome. Events and timers have an outcome only when they fail. */
export function arrowWords({ hop, kind }: Message): { readonly name: string; readonly facts: string; readonly faults: readonly string[] } {
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
export function arrowSentence(arrow: Message): string {
  const { name, facts, faults } = arrowWords(arrow);
  const what = { request: '', call: '', event: 'event ', webhook: 'webhook ', timer: '' }[arrow.kind];
  const struck = faults.length > 0 ? `, struck by the fault ${faults.join(', ')}` : '';
  const [from, to] = [arrow.from, arrow.hop.application].map(applicationTitle);
  const way = from === to ? to : `${from} to ${to}`;
  return `${way}: ${what}${name}, ${facts}${struck}`;
}
