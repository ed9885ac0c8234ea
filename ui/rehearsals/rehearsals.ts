import './rehearsals.css';
import { useSignal } from '@preact/signals';
import { h } from 'preact';
import { connectionSettings, control, drawn, estateLink, type Output, rehearsalLink, useResource } from '../data/data.ts';
import { Card, CopyEnv, counted, Heading, rehearsalTime, SettingsList } from '../kit/kit.ts';
import type { PageProps } from '../shell/page.ts';
import { RehearsalDetail } from './rehearsal-detail.ts';
import { type CreatedRehearsal, RehearsalForm } from './rehearsal-form.ts';
import { useOf } from './rehearsal-times.ts';

/** Of rows in the document. */
const MOST_ROWS = 500;

/** All rehearsals of the estate, or one of them in detail. */
export const Rehearsals = ({ rest: [name] }: PageProps) =>
  name === undefined ? h(RehearsalsList, {}) : h(RehearsalDetail, { key: name, name });

function RehearsalsList() {
  const listed = useResource('rehearsals', (signal) => control('list-rehearsals', undefined, { signal }));
  const filter = useSignal('');
  const created = useSignal<CreatedRehearsal | undefined>(undefined);
  return h(
    'div',
    { class: 'stack' },
    h(
      'div',
      { class: 'title' },
      h(Heading, { title: 'Rehearsals' }, 'Rehearsals'),
      h('p', { class: 'muted wide' }, 'Each is a separate world: data, clock, faults, events.'),
    ),
    h(
      'div',
      { class: 'over' },
      h(
        Card,
        {
          title: listed.value ? counted(listed.value.items.length, 'rehearsal') : 'All',
          aside: h('button', { type: 'button', class: 'quiet', onClick: listed.reload }, 'Refresh'),
        },
        drawn(listed, ({ items }) => {
          const shown = items
            .filter(({ name }) => name.includes(filter.value.trim().toLowerCase()))
            .toSorted((one, other) => other.lastUsedAt.localeCompare(one.lastUsedAt));
          return [
            h(
              'div',
              { class: 'in' },
              h('input', {
                type: 'search',
                'data-filter': '',
                'aria-label': 'Filter by name',
                placeholder: 'Filter by name   /',
                value: filter.value,
                onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => (filter.value = currentTarget.value),
              }),
            ),
            h(
              'ul',
              { class: 'rehearsals' },
              shown.slice(0, MOST_ROWS).map((one) => h(RehearsalRow, { key: one.name, one })),
            ),
            shown.length === 0 && h('p', { class: 'in muted' }, 'No rehearsal has this name.'),
          ];
        }),
      ),
      h(
        'div',
        { class: 'stack' },
        created.value && h(CreatedCard, { created: created.value }),
        h(RehearsalForm, {
          onCreated: (one) => {
            created.value = one;
            listed.reload();
          },
        }),
      ),
    ),
  );
}

const RehearsalRow = ({ one }: { one: Output<'list-rehearsals'>['items'][number] }) =>
  h(
    'li',
    {},
    h('a', { class: 'what brk', href: rehearsalLink(one.name), 'data-row': '' }, one.name),
    h('a', { class: 'button', href: estateLink('rehearsals', one.name) }, 'Manage', h('span', { class: 'unseen' }, ` ${one.name}`)),
    h('p', { class: 'muted small' }, useOf(one)),
    h('p', { class: 'muted small' }, one.trouble ?? contentsOf(one)),
  );

function contentsOf({ contents, now }: Output<'list-rehearsals'>['items'][number]): string {
  const clock = now === undefined ? [] : [`clock ${rehearsalTime(now)}`];
  if (!contents) return clock.join('');
  const { objects, events, journal, bytes } = contents;
  return [
    ...clock,
    counted(objects, 'object'),
    counted(events, 'event'),
    counted(journal, 'hop'),
    `about ${Math.ceil(bytes / 1_024).toLocaleString('en')} KiB`,
  ].join(', ');
}

/** The credentials, which no later answer shows. */
function CreatedCard({ created: { name, credentials } }: { created: CreatedRehearsal }) {
  const settings = connectionSettings({ gateway: location.origin, rehearsal: name, credentials, demo: undefined });
  return h(
    Card,
    { title: `${name} is ready`, aside: h(CopyEnv, { settings }) },
    h(
      'div',
      { class: 'in stack', role: 'status' },
      h('p', {}, 'These credentials are shown only now. This tab remembers them for “Connect your client”.'),
      h(SettingsList, { settings }),
      h('p', {}, h('a', { class: 'button primary', href: rehearsalLink(name) }, 'Open its overview')),
    ),
  );
}
