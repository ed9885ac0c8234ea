import type { StepRecord } from '../../../rehearsal/scenario.ts';
import { columnsOf } from '../../../ui/sequence/part-layout.ts';
import { partsOf } from '../../../ui/sequence/parts.ts';
import { drawPart } from '../../diagram/svg.ts';
import { apiTitle, applicationTitle } from '../../../ui/data/titles.ts';
import { duration } from '../../../ui/kit/format.ts';
import { type Content, type Markup, markup } from '../../output/markup.ts';
import { counted, factsOf, omissions } from './facts.ts';
import { eventTable, invariantList, timingTable } from './html-tables.ts';
import type { Entry, Recorded } from './recording.ts';
import { diagramOf } from './sections.ts';

interface Choices {
  readonly isOpen: boolean;
  readonly hasDiagram: boolean;
}

export const anchorOf = ({ scenario }: Recorded): string => `scenario-${scenario.name}`;

export const outcomeBadge = ({ failure }: Recorded): Markup =>
  failure === undefined ? markup`<span class="badge good">passed</span>` : markup`<span class="badge bad">failed</span>`;

/** A scenario: steps, sequence, events, invariants and timings. */
export function scenarioHtml(run: Recorded, { isOpen, hasDiagram }: Choices): Markup {
  const { scenario, file, rehearsal, failure, entries, invariants, ms } = run;
  const broken = invariants.filter(({ holds }) => !holds).length;
  const origin = [scenario.name, ...(file === undefined ? [] : [file]), duration(ms), factsOf(run)].join(' · ');
  return markup`<section class="panel scenario">
<details${isOpen && OPEN}>
<summary><h2>${outcomeBadge(run)} ${scenario.title}</h2><p class="muted">${origin}</p></summary>
${failure !== undefined && markup`<p class="failure"><strong>Failed.</strong> ${failure}</p>`}
${omissions(run).map((sentence) => markup`<p class="muted">${sentence}</p>`)}
<h3 class="anchor" id="${anchorOf(run)}">Steps</h3>
<ol class="steps">${inSteps(entries).map(stepHtml)}</ol>
${hasDiagram && block('Sequence', counted(run.hops.length, 'hop'), diagram(run), true)}
${block('Events', String(run.events.length), eventTable(run), false)}
${block('Invariants', invariants.length === 0 ? 'not checked' : broken > 0 ? `${broken} of ${invariants.length} broken` : `all ${invariants.length} hold`, invariantList(run), broken > 0)}
${block('Timings', '', timingTable(run), false)}
${rehearsal !== undefined && markup`<p class="muted small">Rehearsal <code>${rehearsal}</code></p>`}
</details>
</section>
`;
}

const OPEN = markup` open`;

const block = (title: string, fact: string, content: Content, isOpen: boolean): Markup =>
  markup`<details class="block"${isOpen && OPEN}><summary><h3>${title}</h3> <span class="muted">${fact}</span></summary>${content}</details>`;

/** A step with the notes that follow it. Notes before the first step stand alone. */
interface StepWithNotes {
  readonly number: number;
  readonly step: StepRecord | undefined;
  readonly notes: Entry[];
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

const MARKS = { fault: '⚡', clock: '🕑', calls: '⇉', carrier: '▸', expectation: '✓' } as const;

function stepHtml({ number, step, notes }: StepWithNotes): Markup {
  const list =
    notes.length > 0 &&
    markup`<ul class="notes">${notes.map((note) => 'note' in note && markup`<li class="${note.kind}"><span aria-hidden="true">${MARKS[note.kind]}</span> ${note.note}</li>`)}</ul>`;
  if (step === undefined) return markup`<li>${list}</li>`;
  const { title, call, application, api, status, ms, events } = step;
  const published =
    events.length > 0 &&
    markup`<p class="events"><span class="muted">→</span> ${events.map((name) => markup`<span class="badge event">${name}</span> `)}</p>`;
  const tone = status >= 500 ? 'bad' : status >= 300 ? 'warn' : 'good';
  return markup`<li>
<p class="step"><span class="ordinal">${number}</span><span class="badge ${tone}">${status}</span> <span class="title">${title}</span> <span class="muted time">${duration(ms)}</span></p>
<p class="muted small"><code>${call}</code>${api !== '' && markup` · ${applicationTitle(application)}, ${apiTitle(api)}`}</p>
${published}${list}</li>
`;
}

const LEGEND = [
  ['call', '', 'call'],
  ['event', 'evt', 'event'],
  ['webhook', 'evt', 'webhook'],
  ['timer', 'due', 'timer'],
  ['call', 'fault', '⚡ refused, or struck by a fault'],
  ['call', 'no', 'failed'],
] as const;

const legend = markup`<ul class="legend">${LEGEND.map(
  ([kind, tone, words]) =>
    markup`<li><svg class="seq" width="34" height="10" aria-hidden="true"><g class="${kind} ${tone}"><path class="arrow" d="M0 5H27"/><path class="tip" d="M34 5l-7 -4v8z"/></g></svg> ${words}</li>`,
)}</ul>`;

function diagram(run: Recorded): Content {
  const { sequence, sections } = diagramOf(run);
  if (sequence.arrows.length === 0) return markup`<p class="muted">The journal has no hop of this rehearsal.</p>`;
  const columns = columnsOf(sequence.participants);
  const parts = partsOf(sections.map(({ arrows }) => arrows));
  const drawn = sections.map(
    ({ title }, index) =>
      markup`<p class="band">${title}</p>${(parts[index] ?? []).map((part) => markup`<div class="part">${drawPart(part, columns)}</div>`)}`,
  );
  return [legend, markup`<div class="sequence" tabindex="0" role="group" aria-label="Sequence diagram">${drawn}</div>`];
}
