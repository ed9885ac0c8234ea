import { act, control, type Input, type Output } from '../data/data.ts';
import { Card, Choice } from '../kit/kit.ts';

type Progression = Output<'read-progression'>;
type Changes = NonNullable<Input<'set-progression'>['body']>;
type Step = keyof Progression;

/** What each step is called, and what each of its modes means. */
const STEPS: { readonly [S in Step]: { readonly title: string; readonly modes: Readonly<Record<Progression[S], string>> } } = {
  carrier: {
    title: 'Parcels',
    modes: {
      time: 'Scanned as the clock moves on.',
      immediate: 'Delivered immediately.',
      manual: 'Scanned only when somebody plays the carrier.',
    },
  },
  warehouse: {
    title: 'Picking, packing and dispatch',
    modes: { time: 'Done as the clock advances.', immediate: 'Done immediately.', manual: 'Done by calls of the APIs.' },
  },
  store: {
    title: 'Stores that prepare collections',
    modes: {
      time: 'Done as the clock advances, while the store is open.',
      immediate: 'Done immediately.',
      manual: 'Done by calls of the APIs.',
    },
  },
  returns: {
    title: 'Returns',
    modes: {
      time: 'Approved, received and inspected as the clock moves on.',
      immediate: 'Processed immediately.',
      manual: 'Moved only when somebody plays policy, store and warehouse.',
    },
  },
  route: { title: 'Routing', modes: { auto: 'Confirm Order routes the order.', manual: 'Somebody calls Route Order.' } },
  label: { title: 'Labels', modes: { auto: 'A dispatch creates the label.', manual: 'Somebody calls Generate Shipping Label.' } },
  capture: { title: 'Capture', modes: { auto: 'The OMS captures when fulfillment begins.', manual: 'Somebody calls Capture Payment.' } },
  refund: {
    title: 'Refunds',
    modes: { auto: 'The OMS refunds cancelled, lost and returned goods.', manual: 'Somebody calls Refund Payment.' },
  },
  external: {
    title: 'External payments',
    modes: {
      auto: 'The estate plays their provider: it captures, and pays out refunds after an hour.',
      manual: 'Somebody calls Capture Payment and Note Refund Result.',
    },
  },
};

const MODES: Readonly<Record<string, string>> = {
  time: 'with the clock',
  immediate: 'immediately',
  manual: 'by hand',
  auto: 'automatically',
};

/** The steps that the rehearsal takes automatically. */
export function ProgressionCard({ name, progression, onChange }: { name: string; progression: Progression; onChange: () => void }) {
  const set = (step: Step, mode: string): Promise<void> =>
    act('progression', async () => {
      await control('set-progression', { body: { [step]: mode } as Changes }, { rehearsal: name });
      onChange();
      return `${STEPS[step].title}: ${MODES[mode] ?? mode}.`;
    });
  return (
    <Card title="Progression" aside={<span class="muted">what happens automatically</span>}>
      <div class="in stack">
        {(Object.keys(STEPS) as Step[]).map((step) => (
          <div key={step} class="field">
            <label for={`step-${step}`}>{STEPS[step].title}</label>
            <Choice
              attributes={{ id: `step-${step}`, 'aria-describedby': `step-${step}-means` }}
              value={progression[step]}
              choices={Object.keys(meaningsOf(step)).map((mode) => [mode, MODES[mode] ?? mode] as const)}
              onChange={(mode) => void set(step, mode)}
            />
            <p class="muted small" id={`step-${step}-means`}>
              {meaningsOf(step)[progression[step]]}
            </p>
          </div>
        ))}
      </div>
    </Card>
  );
}

const meaningsOf = (step: Step): Readonly<Record<string, string>> => STEPS[step].modes;
