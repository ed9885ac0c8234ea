import { h } from 'preact';
import { act, control, drawn, isBusy, useResource } from '../data/data.ts';
import { Badge, Card, rehearsalTime } from '../kit/kit.ts';

/** Work that failed too often, with a button that runs it again. */
export function ParkedCard({ name }: { name: string }) {
  const parked = useResource(name, (signal) => control('list-parked', undefined, { rehearsal: name, signal }));
  const redrive = (key?: string): Promise<void> =>
    act('redrive', async () => {
      const { redriven, left } = await control('redrive-parked', { body: key === undefined ? {} : { key } }, { rehearsal: name });
      await control('settle', { body: {} }, { rehearsal: name });
      parked.reload();
      return left.length === 0
        ? `${redriven.length} redriven.`
        : `${redriven.length} redriven; ${left.length} wait for their event to reach the bus.`;
    });
  const count = parked.value?.items.length ?? 0;
  return h(
    Card,
    {
      title: 'Parked work',
      aside: h(
        'span',
        { class: 'line' },
        h('button', { type: 'button', class: 'quiet', onClick: parked.reload }, 'Refresh'),
        count > 0 && h('button', { type: 'button', 'aria-disabled': isBusy(), onClick: () => void redrive() }, 'Redrive all'),
      ),
    },
    drawn(parked, ({ items }) =>
      items.length === 0
        ? h('p', { class: 'in muted' }, 'Nothing is parked. Deliveries and timers that failed too often appear here.')
        : h(
            'ul',
            { class: 'invariants' },
            items.map(({ what, key, error, at }) =>
              h(
                'li',
                { key },
                h('span', { class: 'brk' }, h(Badge, { tone: 'warn' }, what), ' ', h('code', {}, key)),
                h(
                  'button',
                  { type: 'button', 'aria-disabled': isBusy(), onClick: () => void redrive(key) },
                  'Redrive',
                  h('span', { class: 'unseen' }, ` ${key}`),
                ),
                h('p', { class: 'small brk' }, error),
                h('p', { class: 'muted small' }, `parked at ${rehearsalTime(at)}`),
              ),
            ),
          ),
    ),
  );
}
