import { h } from 'preact';
import { control, type Input, type Output } from './control.ts';
import { Choice } from './field.ts';
import { Card } from './parts.ts';
import { act, busy } from './rehearsal.ts';

type Progression = Output<'read-progression'>;
type Changes = NonNullable<Input<'set-progression'>['body']>;
type Step = keyof Progression;

/** What each step is called, and what each of its modes means. */
const STEPS: { readonly [S in Step]: { readonly title: string; readonly modes: Readonly<Record<Progression[S], string>> } } = {
  carrier: {
    title: 'Parcels',
    modes: {
      time: 'scanned as the clock moves on',
      immediate: 'delivered at once',
      manual: 'scanned only when somebody plays the carrier',
    },
  },
  warehouse: {
    title: 'Picking, packing and dispatch',
    modes: { time: 'done as the clock moves on', immediate: 'done at once', manual: 'done by calls of the APIs' },
  },
  returns: {
    title: 'Returns',
    modes: {
      time: 'approved, received and inspected as the clock moves on',
      immediate: 'taken through at once',
      manual: 'moved only by hand',
    },
  },
  route: { title: 'Routing', modes: { auto: 'Confirm Order routes the order', manual: 'somebody calls Route Order' } },
  label: { title: 'Labels', modes: { auto: 'a dispatch creates the label', manual: 'somebody calls Generate Shipping Label' } },
  capture: { title: 'Capture', modes: { auto: 'the OMS captures when fulfilment begins', manual: 'somebody calls Capture Payment' } },
  refund: {
    title: 'Refunds',
    modes: { auto: 'the OMS refunds cancelled, lost and returned goods', manual: 'somebody calls Refund Payment' },
  },
};

/** Which steps the rehearsal takes by itself. */
export function ProgressionCard({ name, progression, onChange }: { name: string; progression: Progression; onChange: () => void }) {
  const set = (step: Step, mode: string): Promise<void> =>
    act('progression', async () => {
      await control('set-progression', { body: { [step]: mode } as Changes }, { rehearsal: name });
      onChange();
      return `${STEPS[step].title}: ${wordsOf(step)[mode] ?? mode}.`;
    });
  return h(
    Card,
    { title: 'Progression', aside: h('span', { class: 'muted' }, 'what happens by itself') },
    h(
      'div',
      { class: 'in fields' },
      (Object.keys(STEPS) as Step[]).map((step) =>
        h(
          'div',
          { key: step, class: 'field' },
          h('label', { for: `step-${step}` }, STEPS[step].title),
          h(Choice, {
            attributes: { id: `step-${step}`, disabled: busy.value !== undefined },
            value: progression[step],
            choices: Object.entries(wordsOf(step)).map(([mode, words]) => [mode, `${mode}: ${words}`] as const),
            onChange: (mode) => void set(step, mode),
          }),
        ),
      ),
    ),
  );
}

const wordsOf = (step: Step): Readonly<Record<string, string>> => STEPS[step].modes;
