import { useSignal } from '@preact/signals';
import { h } from 'preact';
import { control, drawn, estateLink, type Output, rehearsalLink, useResource } from '../data/data.ts';
import { Card, counted, Heading, rehearsalTime } from '../kit/kit.ts';
import { RehearsalList } from '../shell/picker.ts';
import { InvariantsCard } from './invariants-card.ts';
import { ParkedCard } from './parked-card.ts';
import { ProgressionCard } from './progression-card.ts';
import { EndCard } from './rehearsal-end-card.ts';
import { useOf, wallInstant } from './rehearsal-times.ts';

/** The administration of one rehearsal: contents, its invariants, its progression, its parked work, reset and delete. */
export function RehearsalDetail({ name }: { name: string }) {
  const read = useResource(name, (signal) => control('read-rehearsal', { params: { name } }, { signal }));
  const round = useSignal(0);
  const again = (): void => {
    round.value++;
    read.reload();
  };
  if (read.refusal?.code === 'unknown_rehearsal') return h(Unknown, { name });
  return h(
    'div',
    { class: 'stack' },
    h(
      'div',
      { class: 'title' },
      h(Heading, { title: `Rehearsal ${name}` }, h('span', { class: 'brk' }, name)),
      h(
        'p',
        { class: 'line' },
        h('a', { class: 'button', href: estateLink('rehearsals') }, '← All rehearsals'),
        h('a', { class: 'button', href: rehearsalLink(name) }, 'Overview'),
      ),
    ),
    drawn(read, (one) => [
      h(Contents, { one }),
      h(
        'div',
        { class: 'over' },
        h('div', { class: 'stack' }, h(InvariantsCard, { name }), h(ParkedCard, { key: round.value, name })),
        h(
          'div',
          { class: 'stack' },
          h(ProgressionCard, { name, progression: one.progression, onChange: read.reload }),
          h(EndCard, { name, onReset: again }),
        ),
      ),
    ]),
  );
}

const Contents = ({ one }: { one: Output<'read-rehearsal'> }) => {
  const { counts, now, flowing, createdAt } = one;
  return h(
    Card,
    { label: 'Contents' },
    h(
      'dl',
      { class: 'in pairs' },
      [
        ['Clock', `${rehearsalTime(now)}, ${flowing ? 'flows with wall time' : 'stands still until it is moved'}`],
        ['Created', wallInstant(createdAt)],
        ['Use', useOf(one)],
        [
          'Contents',
          [
            counted(counts.traces, 'trace'),
            counted(counts.hops, 'hop'),
            counted(counts.events, 'event'),
            counted(counts.faults, 'fault'),
            `${counts.parked.toLocaleString('en')} parked`,
          ].join(', '),
        ],
      ].map(([term, text]) => h('div', { key: term }, h('dt', { class: 'muted' }, term), h('dd', { class: 'brk' }, text))),
    ),
  );
};

const Unknown = ({ name }: { name: string }) =>
  h(
    'div',
    { class: 'stack' },
    h(Heading, { title: 'Unknown rehearsal' }, 'There is no rehearsal ', h('code', { class: 'brk' }, name)),
    h('p', { class: 'muted' }, 'It ended, it was deleted, or the name is wrong. These exist:'),
    h(Card, { label: 'Rehearsals' }, h('div', { class: 'in' }, h(RehearsalList, {}))),
  );
