import '../kit/tokens.css';
import '../kit/base.css';
import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { printable } from '../../shared/domain/printable.ts';
import { apiTitle, applicationTitle } from '../data/titles.ts';
import { Badge } from '../kit/badge.tsx';
import { counted, duration, toneOf } from '../kit/format.ts';
import { InvariantList } from '../kit/invariant-list.tsx';
import { Scroll, Table } from '../kit/scroll.tsx';
import { Arrow, Heads, Messages } from '../sequence/drawing.tsx';
import { partsOf } from '../sequence/parts.ts';
import sequenceCss from '../sequence/sequence.module.css';
import type { Arrow as ArrowOf } from '../sequence/sequence.ts';
import { columnsOf, type Layout } from '../sequence/sequence-layout.ts';
import { arrowSentence } from '../sequence/words.ts';
import { factsOf, omissions, seconds, wallTimeOf, worldSentence } from './facts.ts';
import type { Entry, Recorded, ReportedRun } from './recorded.ts';
import css from './report.module.css';
import { diagramOf } from './sections.ts';
import { DifferenceTable, EventTable, TimingTable } from './tables.tsx';

/** The most arrows on the page. Later scenarios have no diagram unless they failed. */
const MOST_ARROWS = 10_000;

/** The run as one page, without scripts and network requests. @param styles the sheet of this module */
export function reportHtml(recorded: ReportedRun, styles: string): string {
  const run = JSON.parse(JSON.stringify(recorded), (_, value) => (typeof value === 'string' ? printable(value) : value)) as ReportedRun;
  return `<!doctype html>\n${renderToString(<Page run={run} styles={styles} />)}\n`;
}

const HEADINGS = { rehearsal: 'Rehearsal report', conformance: 'Conformance report', fidelity: 'Fidelity report' } as const;

function Page({ run: { kind, scenarios, startedAt, version, gateway }, styles }: { run: ReportedRun; styles: string }) {
  const failed = scenarios.filter(hasFailed).length;
  const ran = scenarios.filter(({ skipped }) => skipped === undefined).length;
  const left = ran < scenarios.length ? `, ${scenarios.length - ran} skipped` : '';
  const outcome = `${ran - failed} of ${ran} passed${left}`;
  const heading = HEADINGS[kind ?? 'rehearsal'];
  let arrows = 0;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <title>
          {heading}: {outcome}
        </title>
        <style dangerouslySetInnerHTML={{ __html: styles }} />
      </head>
      <body class={css.report}>
        <header>
          <h1>{heading}</h1>
          <p>
            <Badge tone={failed > 0 ? 'bad' : 'good'}>{outcome}</Badge>
            {kind !== 'fidelity' && ` in ${seconds(wallTimeOf(scenarios))}`}
          </p>
          <p class="muted">
            {new Date(startedAt).toISOString().slice(0, 16).replace('T', ' ')} UTC · estate {version} at <code>{gateway}</code>
          </p>
        </header>
        <main>
          {scenarios.length > 1 && <Overview scenarios={scenarios} isFidelity={kind === 'fidelity'} />}
          {scenarios.map((one) => {
            arrows += one.hops.length;
            const hasDiagram = arrows <= MOST_ARROWS || hasFailed(one);
            return <Scenario key={one.scenario.name} run={one} isOpen={hasFailed(one) || scenarios.length === 1} hasDiagram={hasDiagram} />;
          })}
        </main>
      </body>
    </html>
  );
}

const hasFailed = ({ failure }: Recorded): boolean => failure !== undefined;
const anchorOf = ({ scenario }: Recorded): string => `scenario-${scenario.name}`;

function OutcomeBadge({ run }: { run: Recorded }) {
  if (run.skipped !== undefined) return <Badge>skipped</Badge>;
  return <Badge tone={hasFailed(run) ? 'bad' : 'good'}>{hasFailed(run) ? 'failed' : 'passed'}</Badge>;
}

function Overview({ scenarios, isFidelity }: { scenarios: readonly Recorded[]; isFidelity: boolean }) {
  const [one, did, label] = isFidelity ? ['Operation', 'Comparison', 'Operations'] : ['Scenario', 'What it did', 'Scenarios'];
  return (
    <section class="card in" aria-label={label}>
      <Table label={label} heads={['Outcome', one, did, ...(isFidelity ? [] : ['Time'])]} numbers={['Time']} wide={did}>
        {scenarios.map((run) => (
          <tr key={run.scenario.name}>
            <td>
              <OutcomeBadge run={run} />
            </td>
            <td>
              <a href={`#${anchorOf(run)}`}>{run.scenario.name}</a>
              <div class="muted">{run.scenario.title}</div>
            </td>
            <td class="wide muted">{factsOf(run)}</td>
            {!isFidelity && <td class="number">{duration(run.ms)}</td>}
          </tr>
        ))}
      </Table>
    </section>
  );
}

/** A scenario: steps, sequence, events, invariants and timings. */
function Scenario({ run, isOpen, hasDiagram }: { run: Recorded; isOpen: boolean; hasDiagram: boolean }) {
  const { scenario, file, rehearsal, failure, skipped, entries, invariants, comparison, ms } = run;
  const broken = invariants.filter(({ holds }) => !holds).length;
  const holds = broken > 0 ? `${broken} of ${invariants.length} broken` : `all ${invariants.length} hold`;
  return (
    <section class={`card in ${css.scenario}`}>
      <details open={isOpen}>
        <summary>
          <h2>
            <OutcomeBadge run={run} /> {scenario.title}
          </h2>
          <p class="muted brk">{[scenario.name, file, !comparison && duration(ms), factsOf(run)].filter(Boolean).join(' · ')}</p>
        </summary>
        {failure !== undefined && !comparison && (
          <p class={`problem ${css.failure}`}>
            <span>
              <strong>Failed.</strong> {failure}
            </span>
          </p>
        )}
        <World run={run} />
        {skipped !== undefined && <p class="muted">{skipped}</p>}
        {omissions(run).map((sentence) => (
          <p key={sentence} class="muted">
            {sentence}
          </p>
        ))}
        <h3 class={css.anchor} id={anchorOf(run)}>
          {comparison ? 'Differences' : 'Steps'}
        </h3>
        {comparison ? (
          <DifferenceTable differences={comparison.differences} />
        ) : (
          <ol class={css.steps}>
            {inSteps(entries).map((step) => (
              <Step key={step.number} step={step} />
            ))}
          </ol>
        )}
        {rehearsal !== undefined && (
          <>
            {hasDiagram && (
              <Block title="Sequence" fact={counted(run.hops.length, 'hop')} isOpen>
                <Diagram run={run} />
              </Block>
            )}
            <Block title="Events" fact={String(run.events.length)}>
              <EventTable run={run} />
            </Block>
            <Block title="Invariants" fact={invariants.length === 0 ? 'not checked' : holds} isOpen={broken > 0}>
              {invariants.length === 0 && <p class="muted">The scenario failed before the invariants were checked.</p>}
              <InvariantList invariants={invariants} />
            </Block>
            <Block title="Timings">
              <TimingTable run={run} />
            </Block>
          </>
        )}
        {rehearsal !== undefined && (
          <p class="muted">
            Rehearsal <code>{rehearsal}</code>
          </p>
        )}
      </details>
    </section>
  );
}

function World({ run }: { run: Recorded }) {
  const { world } = run;
  if (!world || !('file' in world)) return world ? <p class="muted">{worldSentence(run)}</p> : null;
  return (
    <>
      <p class="muted">
        The world at this failure is a file. Open it with <code>estate open {world.file}</code>.
      </p>
      <p>
        <a href={world.file} download>
          {world.file}
        </a>
      </p>
    </>
  );
}

interface BlockProps {
  readonly title: string;
  readonly fact?: string;
  readonly isOpen?: boolean;
  readonly children: ComponentChildren;
}

const Block = ({ title, fact, isOpen = false, children }: BlockProps) => (
  <details class={css.block} open={isOpen}>
    <summary>
      <h3>{title}</h3> <span class="muted">{fact}</span>
    </summary>
    {children}
  </details>
);

/** A step with the notes that follow it. Notes before the first step stand alone. */
interface StepWithNotes {
  readonly number: number;
  readonly step: Extract<Entry, { step: unknown }>['step'] | undefined;
  readonly notes: Extract<Entry, { note: string }>[];
}

function inSteps(entries: readonly Entry[]): readonly StepWithNotes[] {
  const steps: StepWithNotes[] = [];
  for (const entry of entries) {
    const last = steps.at(-1);
    if ('step' in entry) steps.push({ number: (last?.number ?? 0) + 1, step: entry.step, notes: [] });
    else if (last === undefined) steps.push({ number: 0, step: undefined, notes: [entry] });
    else last.notes.push(entry);
  }
  return steps;
}

const MARKS = { fault: '⚡', clock: '🕑', calls: '⇉', carrier: '▸', bank: '▸', operation: '▸', customer: '▸', expectation: '✓' } as const;

const Step = ({ step: { number, step, notes } }: { step: StepWithNotes }) => (
  <li>
    {step && (
      <>
        <p class={css.step}>
          <span class={css.number}>{number}</span>
          <Badge tone={step.status >= 300 && step.status < 400 ? 'warn' : toneOf(step.status)}>{step.status}</Badge>
          <strong class="brk">{step.title}</strong> <span class={`muted ${css.time}`}>{duration(step.ms)}</span>
        </p>
        <p class="muted">
          <code class="brk">{step.call}</code>
          {step.api !== '' && ` · ${applicationTitle(step.application)}, ${apiTitle(step.api)}`}
        </p>
        {step.events.length > 0 && (
          <p>
            <span class="muted">→</span>{' '}
            {step.events.map((name) => (
              <span key={name}>
                <Badge tone="event">{name}</Badge>{' '}
              </span>
            ))}
          </p>
        )}
      </>
    )}
    {notes.length > 0 && (
      <ul class={css.notes}>
        {notes.map(({ note, kind, until }) => (
          <li key={`${until} ${note}`} class={kind === 'fault' ? css.fault : undefined}>
            <span aria-hidden="true">{MARKS[kind]}</span> {note}
          </li>
        ))}
      </ul>
    )}
  </li>
);

const LEGEND = [
  ['call', 'plain', 'call'],
  ['event', 'delivered', 'event'],
  ['webhook', 'delivered', 'webhook'],
  ['timer', 'due', 'timer'],
  ['call', 'struck', '⚡ refused, or struck by a fault'],
  ['call', 'failed', 'failed'],
] as const;

/** The widest diagram that needs no scrolling, and its pixels for each participant. */
const ROOM = { most: 1_140, each: 150, rest: 180 } as const;

/** The sequence of a scenario, with a section for each step. */
function Diagram({ run }: { run: Recorded }) {
  const { sequence, sections } = diagramOf(run);
  const { participants } = sequence;
  if (sequence.arrows.length === 0) return <p class="muted">The journal has no hop of this rehearsal.</p>;
  const columns = columnsOf(participants, Math.min(ROOM.most, ROOM.rest + participants.length * ROOM.each));
  const arrows = sections.map((section) => section.arrows);
  const parts = partsOf(arrows, columns);
  return (
    <>
      <ul class={`line muted ${css.legend}`}>
        {LEGEND.map(([kind, tone, words]) => (
          <li key={words} class="line">
            <svg class={sequenceCss.sequence} width={34} height={10} aria-hidden="true">
              <g class={`${sequenceCss[kind]} ${sequenceCss[tone]}`}>
                <Arrow fromX={-4} toX={38} y={5} bar={{ x: 34, y: 4, height: 0 }} />
              </g>
            </svg>
            {words}
          </li>
        ))}
      </ul>
      <Scroll class={css.scrolling} label="Sequence diagram">
        {sections.map(({ title }, index) => (
          <div key={`${index} ${title}`}>
            <p class={css.band}>{title}</p>
            {(parts[index] ?? []).map((part) => (
              <Part key={part.messages[0]?.message.hop.requestId} part={part} />
            ))}
          </div>
        ))}
      </Scroll>
    </>
  );
}

/** The most arrows in the text for screen readers. */
const MOST_SPOKEN = 12;

function Part({ part }: { part: Layout<ArrowOf> }) {
  const { columns, messages, top, height } = part;
  const more = messages.length > MOST_SPOKEN ? [`and ${messages.length - MOST_SPOKEN} more`] : [];
  const spoken = [...messages.slice(0, MOST_SPOKEN).map(({ message }) => arrowSentence(message)), ...more].join('; ');
  const { width } = columns;
  return (
    <svg
      class={`${sequenceCss.sequence} ${css.part}`}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={spoken}
    >
      {top > 0 && <Heads columns={columns} />}
      <Messages layout={part} />
    </svg>
  );
}
