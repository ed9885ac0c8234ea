import type { ComponentChildren } from 'preact';
import { act, advance, clock, control, linkHere, type Output, offState, unlessOff } from '../data/data.ts';
import { rehearsalTime } from '../kit/kit.ts';
import type { Near } from './near.tsx';
import css from './objects.module.css';

type Explanation = Output<'explain-object'>;
type Brief = Explanation['waitsFor'][number];
type Reason = Brief['reasons'][number];

interface WhyProps {
  readonly near: Near;
  readonly explanation: Explanation;
  /** What somebody has to decide by hand. */
  readonly notice: string | undefined;
  /** Whether the journal of this rehearsal has the cause. A rehearsal that continues another one starts with an empty journal. */
  readonly isRecorded: boolean;
  readonly onChange: () => void;
  /** What can be done. */
  readonly children: ComponentChildren;
}

/** What the object waits for comes first, then how it got there, its troubles, and what can be done next. Buttons end the wait. */
export function Why({ near, explanation, notice, isRecorded, onChange, children }: WhyProps) {
  const { cause } = explanation;
  const wait = waitOf(explanation);
  const waitsFor = explanation.waitsFor.map((one) => without(one, wait));
  return (
    <section class={`card in stack-tight brk ${css['why']}`} aria-label="Why">
      {wait && <p class={css['wait']}>{near.label(namedType(explanation, wait), wait.text).replace(/^It waits/, 'Waits')}</p>}
      <p class={wait ? 'muted' : css['wait']}>
        {near.label(explanation.type, explanation.head)}
        {cause?.correlationId !== undefined && (
          <>
            {' '}
            {isRecorded ? (
              <a href={linkHere('activity', cause.correlationId)}>See how</a>
            ) : (
              'The journal of this rehearsal lacks its trace. If the rehearsal continues another one, that journal has it.'
            )}
          </>
        )}
      </p>
      {notice !== undefined && (
        <ul>
          <li data-kind="trouble">{notice}</li>
        </ul>
      )}
      <Reasons of={without(explanation, wait)} />
      {waitsFor.map((one) => (
        <div key={`${one.type}/${one.id}`} class={`stack-tight ${css['awaited']}`}>
          <p>
            It waits for the{' '}
            <a href={linkHere('objects', one.type, one.id)}>{near.label(one.type, one.name.charAt(0).toLowerCase() + one.name.slice(1))}</a>
            , which
            {one.head.slice(one.name.length)}
          </p>
          <Reasons of={one} />
        </div>
      ))}
      <Remedies of={[explanation, ...explanation.waitsFor]} onChange={onChange} />
      {children}
    </section>
  );
}

/** Codes of waits that have their own place. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set(['next-step', 'deadline', 'waits-for-nothing']);

/** The wait that heads the page: of the object, or of the object that it waits for. */
function waitOf(explanation: Explanation): Reason | undefined {
  const waits = [explanation, ...explanation.waitsFor].flatMap(({ reasons }) => reasons);
  const shown = waits.filter(({ kind, code }) => kind === 'wait' && !SHOWN_ELSEWHERE.has(code));
  return shown.find(({ code }) => code !== 'waits-for-object') ?? shown[0];
}

/** The type of the object whose label the text of a wait has. */
const namedType = ({ type }: Explanation, { code, refs }: Reason): string => (code === 'waits-for-object' && refs[0]?.type) || type;

const without = <Of extends { readonly reasons: readonly Reason[] }>(of: Of, reason: Reason | undefined): Of => ({
  ...of,
  reasons: of.reasons.filter((one) => one !== reason),
});

/** Whether the clock, or following it, is the next step. */
export const hasNextStep = ({ reasons, waitsFor }: Explanation): boolean =>
  [...reasons, ...waitsFor.flatMap((one) => one.reasons)].some(
    ({ code, at, manual = [] }) => manual.length > 0 || (code === 'next-step' && at),
  );

function Reasons({ of: { reasons } }: { readonly of: Pick<Brief, 'reasons'> }) {
  // Objects that it waits for have their own paragraphs.
  const shown = reasons.filter(({ code, refs }) => code !== 'waits-for-nothing' && (code !== 'waits-for-object' || refs.length === 0));
  if (shown.length === 0) return null;
  return (
    <ul class="stack-tight">
      {shown.map((reason) => (
        <li key={`${reason.code} ${reason.text}`} data-kind={reason.code === 'deadline' ? 'deadline' : reason.kind}>
          {reason.text}
          {reason.kind === 'trouble' && reason.refs.map((ref) => <Place key={`${ref.what} ${ref.id}`} of={ref} />)}
        </li>
      ))}
    </ul>
  );
}

/** A link to the event, the faults or the webhook of a trouble. */
function Place({ of: { what, id } }: { readonly of: Reason['refs'][number] }) {
  const [page, words] = { event: ['events', 'Event'], fault: ['faults', 'Faults'], webhook: ['webhooks', 'Webhook'] }[what as string] ?? [];
  if (page === undefined) return null;
  return (
    <>
      {' '}
      <a href={page === 'faults' ? linkHere(page) : linkHere(page, id)}>{words}</a>
    </>
  );
}

const isToday = (at: string): boolean => clock.value?.now.slice(0, 10) === at.slice(0, 10);

function Remedies({ of, onChange }: { readonly of: readonly Pick<Brief, 'reasons'>[]; readonly onChange: () => void }) {
  const reasons = of.flatMap((one) => one.reasons);
  const manual = [...new Set(reasons.flatMap((reason) => reason.manual ?? []))];
  const [next] = reasons.flatMap(({ code, at }) => (code === 'next-step' && at !== undefined ? [at] : [])).toSorted();
  if (manual.length === 0 && next === undefined) return null;
  const follow = (member: string) =>
    act('progression', async () => {
      await control('set-progression', { body: { [member]: 'time' } });
      return `The ${member} ${member === 'returns' ? 'follow' : 'follows'} the clock.`;
    });
  const button = (label: string, run: () => Promise<void>) => (
    <button key={label} type="button" class="primary" aria-disabled={offState()} onClick={unlessOff(() => void run().then(onChange))}>
      {label}
    </button>
  );
  return (
    <p class={`line ${css['usual']}`}>
      {manual.map((member) => button(`Let the ${member} follow the clock`, () => follow(member)))}
      {next !== undefined &&
        button(`Move the clock to ${isToday(next) ? next.slice(11, 16) : rehearsalTime(next)}`, () => advance({ to: next }))}
    </p>
  );
}
