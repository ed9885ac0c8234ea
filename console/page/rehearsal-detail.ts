import { useSignal } from '@preact/signals';
import { h } from 'preact';
import { control, type Output } from './control.ts';
import { Dialog } from './dialog.ts';
import { counted, rehearsalTime } from './format.ts';
import { forgetRehearsal } from './last-rehearsal.ts';
import { ParkedCard } from './parked-card.ts';
import { Badge, Card, Heading } from './parts.ts';
import { RehearsalList } from './picker.ts';
import { ProgressionCard } from './progression-card.ts';
import { act, busy, isBusy } from './rehearsal.ts';
import { useOf, wallInstant } from './rehearsal-times.ts';
import { drawn, useResource } from './resource.ts';
import { estateLink, rehearsalLink } from './route.ts';
import { navigate } from './router.ts';
import { forgetCredentials } from './session.ts';

/** One rehearsal to look after: what it holds, its laws, its progression, its parked work, reset and delete. */
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
        h('div', { class: 'stack' }, h(VerifyCard, { name }), h(ParkedCard, { key: round.value, name })),
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

/** Each law with what violates it. */
function VerifyCard({ name }: { name: string }) {
  const outcome = useSignal<Output<'verify'> | undefined>(undefined);
  const verify = (): Promise<void> =>
    act('verify', async () => {
      const found = await control('verify', undefined, { rehearsal: name });
      outcome.value = found;
      const broken = found.invariants.filter(({ holds }) => !holds).length;
      return broken === 0 ? `All ${found.invariants.length} laws hold.` : `${broken} of ${found.invariants.length} laws are broken.`;
    });
  const found = outcome.value;
  return h(
    Card,
    {
      title: 'Laws',
      aside: h(
        'button',
        { type: 'button', class: found ? undefined : 'primary', 'aria-disabled': isBusy(), onClick: () => void verify() },
        busy.value === 'verify' ? 'Verifying…' : 'Verify',
      ),
    },
    !found && h('p', { class: 'in muted' }, 'Verify settles the rehearsal, and checks that stock, money, points and events agree.'),
    found &&
      !found.settled &&
      h('p', { class: 'in' }, h(Badge, { tone: 'warn' }, 'not settled'), ` It waits for ${found.waitingFor.join(', ')}.`),
    found &&
      h(
        'ul',
        { class: 'laws' },
        found.invariants.map(({ id, title, holds, checked, violations, waiting = [] }) =>
          h(
            'li',
            { key: id },
            h('span', {}, title),
            h(Badge, { tone: holds ? 'good' : 'bad' }, holds ? 'holds' : 'broken'),
            h('p', { class: 'muted small' }, counted(checked, 'check')),
            violations.map((violation) => h('p', { key: violation, class: 'wrong small brk' }, violation)),
            waiting.map((line) => h('p', { key: line, class: 'muted small brk' }, line)),
          ),
        ),
      ),
  );
}

/** Reset and delete. Both ask first; deleting wants the name typed. */
function EndCard({ name, onReset }: { name: string; onReset: () => void }) {
  const asking = useSignal<'reset' | 'delete' | undefined>(undefined);
  const typed = useSignal('');
  const close = (): void => {
    asking.value = undefined;
    typed.value = '';
  };
  const reset = (): Promise<void> =>
    act('reset', async () => {
      close();
      await control('reset-rehearsal', undefined, { rehearsal: name });
      onReset();
      return `${name} is as it was when it began.`;
    });
  const remove = (event: Event): Promise<void> => {
    event.preventDefault();
    if (typed.value.trim() !== name) return Promise.resolve();
    return act('delete', async () => {
      await control('delete-rehearsal', { params: { name } });
      forgetCredentials(name);
      forgetRehearsal(name);
      close();
      navigate(estateLink('rehearsals'));
      return `${name} is deleted.`;
    });
  };
  const isDefault = name === 'default';
  return h(
    Card,
    { title: 'Reset and delete' },
    h(
      'div',
      { class: 'in stack' },
      h('p', {}, 'A reset seeds the world again: data, clock, faults, events and journal. Its credentials stay valid.'),
      h(
        'p',
        {},
        h(
          'button',
          { type: 'button', 'aria-haspopup': 'dialog', 'aria-disabled': isBusy(), onClick: () => (asking.value = 'reset') },
          'Reset…',
        ),
      ),
      h('p', {}, isDefault ? 'The default rehearsal cannot be deleted.' : 'Deleting it revokes its credentials. Nothing of it is left.'),
      !isDefault &&
        h(
          'p',
          {},
          h(
            'button',
            {
              type: 'button',
              class: 'danger',
              'aria-haspopup': 'dialog',
              'aria-disabled': isBusy(),
              onClick: () => (asking.value = 'delete'),
            },
            'Delete…',
          ),
        ),
    ),
    asking.value === 'reset' &&
      h(
        Dialog,
        { title: `Reset ${name}?`, onClose: close },
        h(
          'div',
          { class: 'stack' },
          h('p', {}, 'Everything that happened in it is lost.'),
          h('p', {}, h('button', { type: 'button', class: 'danger', onClick: () => void reset() }, 'Reset')),
        ),
      ),
    asking.value === 'delete' &&
      h(
        Dialog,
        { title: `Delete ${name}?`, onClose: close },
        h(
          'form',
          { class: 'stack', onSubmit: (event: Event) => void remove(event) },
          h('label', { for: 'typed-name' }, 'Type the name of the rehearsal to delete it'),
          h('input', {
            id: 'typed-name',
            type: 'text',
            autocomplete: 'off',
            spellcheck: false,
            value: typed.value,
            onInput: ({ currentTarget }) => (typed.value = currentTarget.value),
          }),
          h('p', {}, h('button', { type: 'submit', class: 'danger', disabled: typed.value.trim() !== name }, 'Delete')),
        ),
      ),
  );
}

const Unknown = ({ name }: { name: string }) =>
  h(
    'div',
    { class: 'stack' },
    h(Heading, { title: 'Unknown rehearsal' }, 'There is no rehearsal ', h('code', { class: 'brk' }, name)),
    h('p', { class: 'muted' }, 'It ended, it was deleted, or the name is wrong. These exist:'),
    h(Card, { label: 'Rehearsals' }, h('div', { class: 'in' }, h(RehearsalList, {}))),
  );
