import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { act, advance, clock, faults, here, isCutOff, isTraceRead, linkHere, type Output, useRead, withQuery } from '../data/data.ts';
import { dropFault, isSet, setPreset } from '../faults/fault-switch.ts';
import { Card, useNextFocus } from '../kit/kit.ts';
import css from './overview.module.css';

const FIRST_FAULT = 'payment-hub-down';
/** Two days less an hour, because the clock has flowed since the page read the rehearsal. A parcel is delivered 29 hours after the confirmation. */
const TWO_DAYS_MS = 47 * 3_600_000;

interface FirstStepsProps {
  readonly contents: Output<'read-rehearsal'> | undefined;
  readonly estate: Output<'read-topology'> | undefined;
  /** The trace to read first: of a confirmed order. */
  readonly example: string | undefined;
  readonly onChange: () => void;
}

const CLOSED = 'estate.first-steps';
const isClosed = signal(localStorage.getItem(CLOSED) === 'closed');

function close(): void {
  localStorage.setItem(CLOSED, 'closed');
  isClosed.value = true;
}

/** Four steps that show what the console is for, each ticked once anybody has done it. The card goes when it is closed, or when all are done. */
export function FirstSteps({ contents, estate, example, onChange }: FirstStepsProps) {
  const presets = useRead('list-fault-presets');
  const preset = presets.value?.items.find(({ id }) => id === FIRST_FAULT);
  const orders = Object.values(contents?.counts.objects['order'] ?? {}).reduce((sum, count) => sum + count, 0);
  const struckBy = faults.value?.find(({ hits }) => hits > 0)?.name ?? estate?.applications.flatMap((one) => one.faults)[0];
  const now = clock.value?.now ?? contents?.now;
  const steps = {
    ordered: orders > 0,
    read: isTraceRead(here()),
    struck: struckBy !== undefined,
    moved: contents !== undefined && now !== undefined && Date.parse(now) - Date.parse(contents.createdAt) >= TWO_DAYS_MS,
  };
  const done = Object.values(steps).filter(Boolean).length;
  const order = (): Promise<void> =>
    act('order', async () => {
      const { placeDigitalOrder } = await import('./digital-order.ts');
      const outcome = await placeDigitalOrder(here());
      onChange();
      return outcome;
    });
  const button = (label: string, run: () => unknown, isNext: boolean) => (
    <button type="button" class={isNext ? 'primary' : undefined} disabled={isCutOff()} onClick={() => void run()}>
      {label}
    </button>
  );
  const waits = preset !== undefined && isSet(FIRST_FAULT) && !steps.struck;
  if (done === 4 || isClosed.value) return null;
  const next = (Object.keys(steps) as (keyof typeof steps)[]).find((step) => !steps[step]);
  return (
    <Card
      title="First steps"
      aside={
        <span class="line">
          <span class="muted">{done} of 4</span>
          <button type="button" class="quiet" aria-label="Close the first steps" onClick={close}>
            Close
          </button>
        </span>
      }
    >
      <ol class={`in ${css.steps}`}>
        <Step isDone={steps.ordered} title="Place a digital order" hint="watch its calls appear on the map">
          {button(steps.ordered ? 'Again' : 'Place', order, next === 'ordered')}
        </Step>
        <Step isDone={steps.read} title="Read its trace" hint="who called whom, with bodies">
          {example === undefined ? (
            <button type="button" disabled>
              Open
            </button>
          ) : (
            <a class={next === 'read' ? 'button primary' : 'button'} href={linkHere('activity', example)}>
              Open
            </a>
          )}
        </Step>
        <Step
          isDone={steps.struck}
          title="Let something fail"
          hint={waits ? `“${preset.title}” is set: place an order, and see it fail` : `“${preset?.title ?? 'The Payment Hub is down'}”`}
        >
          {waits && button('Place', order, next === 'struck')}
          {struckBy !== undefined && (
            <a class="button" href={withQuery(linkHere('activity'), { fault: struckBy })}>
              See why
            </a>
          )}
          {steps.struck && isSet(FIRST_FAULT) && button('Off', () => dropFault(FIRST_FAULT, preset?.title), true)}
          {!isSet(FIRST_FAULT) && !steps.struck && preset && button('Set', () => setPreset(preset), next === 'struck')}
        </Step>
        <Step isDone={steps.moved} title="Move the clock by two days" hint="the parcel arrives, reservations run out">
          {button('+2 days', () => advance({ by: 'P2D' }).then(onChange), next === 'moved')}
        </Step>
      </ol>
    </Card>
  );
}

function Step({ isDone, title, hint, children }: { isDone: boolean; title: string; hint: string; children?: ComponentChildren }) {
  const buttons = useNextFocus<HTMLSpanElement>((step) => step.querySelector<HTMLElement>('a, button:not(:disabled)'));
  return (
    <li class={isDone ? css.done : undefined}>
      <span>
        {title}
        {isDone && <span class="unseen"> (done)</span>}
        <small>{hint}</small>
      </span>
      <span ref={buttons} class="line">
        {children}
      </span>
    </li>
  );
}
