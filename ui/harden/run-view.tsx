import type { ComponentChildren } from 'preact';
import { type Field, type Matrix, type MatrixRow, matrixOf } from '../../rehearsal/harden/matrix.ts';
import { type Cell, type Finding, type HardenRun, isFailing } from '../../rehearsal/harden/run.ts';
import {
  cellSentence,
  commandOf,
  conditions,
  differencesOf,
  effort,
  HEADS,
  headline,
  isTried,
  notTried,
  openFindings,
  outcomeOf,
  SENTENCES,
  sortedFindings,
  startText,
  titleOf,
  toneOf,
} from '../../rehearsal/harden/words.ts';
import { Badge } from '../kit/badge.tsx';
import { counted, duration } from '../kit/format.ts';
import { Scroll, Table } from '../kit/scroll.tsx';
import css from './harden.module.css';

/** The most sites, findings and cells on a page. The others are counted. */
const MOST_SITES = 300;
const MOST_FINDINGS = 200;
const MOST_CELLS = 5_000;
/** The most misfortunes in the words of a field, and cells named by a finding. */
const MOST_WORDS = 8;
const MOST_NAMED = 40;

interface ViewProps {
  readonly run: HardenRun;
  /** The address of the traces of a cell, while its rehearsal exists. */
  readonly tracesOf?: (cell: Cell) => string | undefined;
  /** The files of a finding lie beside the page. */
  readonly hasFiles?: boolean;
}

/** The outcome of a run, and how it was made: below the title of the report and of the page. */
export const RunHead = ({ run }: { run: HardenRun }) => (
  <>
    <p>
      <Badge tone={openFindings(run).length > 0 ? 'bad' : 'good'}>{headline(run)}</Badge> {effort(run)}
    </p>
    <p class="muted brk">
      <code>{commandOf(run)}</code> · estate {run.estate}
      {startText(run)}
    </p>
  </>
);

/** What a run tried and found: the same in the report and in the console. */
export function RunView({ run, tracesOf, hasFiles = false }: ViewProps) {
  const matrix = matrixOf(run);
  const findings = sortedFindings(run);
  const shown = findings.slice(0, MOST_FINDINGS);
  const anchors = new Map(shown.map(({ id }, place) => [id, `finding-${place + 1}`]));
  const rows = fewer(matrix.rows);
  return (
    <div class="stack">
      <Sentences title="Not checked" sentences={run.notJudged} tone="warn" />
      <section class="card in" aria-label="Matrix">
        <h2>What happened where</h2>
        <p class="muted">A row is a place in the story, and a mark is a misfortune there. Point at a field, or choose it.</p>
        <MatrixTable families={matrix.families} rows={rows} anchors={anchors} />
        <More count={matrix.rows.length - rows.length} one="more site" />
      </section>
      {shown.map((finding) => (
        <FindingCard
          key={finding.id}
          finding={finding}
          run={run}
          anchor={anchors.get(finding.id)}
          hasFiles={hasFiles}
          tracesOf={tracesOf}
        />
      ))}
      <More count={findings.length - shown.length} one="more finding" />
      <Sentences title="Not tried" sentences={notTried(run)} />
      <section class="card in" aria-label="Every misfortune">
        <details>
          <summary class={css.every}>
            <h2>Every misfortune</h2> <span class="muted">{run.cells.length.toLocaleString('en')}</span>
          </summary>
          <Sites rows={rows} run={run} tracesOf={tracesOf} />
        </details>
      </section>
      <Sentences title="How it was tried" sentences={conditions(run)} />
    </div>
  );
}

/** Sites with a finding come first when there are too many; the order of the story stays. */
function fewer(rows: readonly MatrixRow[]): readonly MatrixRow[] {
  if (rows.length <= MOST_SITES) return rows;
  const kept = new Set(rows.toSorted((one, other) => Number(other.isFound) - Number(one.isFound)).slice(0, MOST_SITES));
  return rows.filter((row) => kept.has(row));
}

const More = ({ count, one }: { count: number; one: string }) =>
  count > 0 ? <p class="muted">and {counted(count, one)}: harden.json has them</p> : null;

const Sentences = ({ title, sentences, tone }: { title: string; sentences: readonly string[]; tone?: 'warn' }) =>
  sentences.length === 0 ? null : (
    <section class={`card in ${tone === undefined ? '' : css.notJudged}`} aria-label={title}>
      <h2>{title}</h2>
      <ul class="brk">
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </section>
  );

interface MatrixProps extends Matrix {
  /** Addresses within the page, by the id of a finding. */
  readonly anchors: ReadonlyMap<string, string>;
}

const MatrixTable = ({ families, rows, anchors }: MatrixProps) => (
  <Scroll class={`table ${css.matrix}`} label="Sites by misfortunes">
    <table>
      <thead>
        <tr>
          <th scope="col">Where</th>
          {families.map((family) => (
            <th key={family} scope="col">
              {HEADS[family]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, place) => (
          <tr key={row.site.id}>
            <th scope="row" class="brk">
              {row.site.label}
            </th>
            {row.fields.map((field, column) => (
              <td key={families[column]}>{field && <FieldLink field={field} row={row} anchor={anchorOf(field, anchors, place)} />}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
);

/** The finding of a field, or else its site. */
function anchorOf({ cells }: Field, anchors: ReadonlyMap<string, string>, place: number): string {
  const found = cells.map(({ cell }) => anchors.get(cell.finding ?? '')).find((anchor) => anchor !== undefined);
  return `#${found ?? siteAnchor(place)}`;
}

const siteAnchor = (place: number): string => `site-${place + 1}`;

/** The word and the marks of a field. Its words appear at the bottom of the window while it has the pointer or the focus. */
function FieldLink({ field: { family, cells, worst }, row: { site }, anchor }: { field: Field; row: MatrixRow; anchor: string }) {
  const sorted = cells.toSorted((one, other) => Number(other.tone === 'bad') - Number(one.tone === 'bad'));
  const more = cells.length - MOST_WORDS;
  const heading = `${site.label}, ${HEADS[family].toLowerCase()}`;
  return (
    <a class={css.mark} href={anchor} aria-label={`${worst.word}: ${heading}`}>
      <Badge tone={worst.tone}>{worst.word}</Badge>
      <span class={css.marks} aria-hidden="true">
        {cells.map(({ cell, mark, tone }) => (
          <span key={cell.id} class={tone}>
            {mark}
          </span>
        ))}
      </span>
      <span class={`${css.words} brk`}>
        <strong>{heading}</strong>
        {sorted.slice(0, MOST_WORDS).map(({ cell, mark, tone }) => (
          <span key={cell.id}>
            <b class={tone}>{mark}</b> {cellSentence(cell)}
          </span>
        ))}
        {more > 0 && <span>and {more} more</span>}
      </span>
    </a>
  );
}

interface FindingProps extends ViewProps {
  readonly finding: Finding;
  readonly anchor: string | undefined;
}

function FindingCard({ finding, run, anchor, hasFiles = false, tracesOf }: FindingProps) {
  const { id, site, paragraph, remedy, repeat, scenario, files = [] } = finding;
  const own = new Set(finding.cells);
  const cells = run.cells.filter((cell) => own.has(cell.id));
  const differences = differencesOf(cells);
  const named = cells.slice(0, MOST_NAMED);
  const label = run.sites.find((one) => one.id === site)?.label ?? site;
  return (
    <section class={`card in stack-tight ${css.finding}`} id={anchor} aria-label={`Finding ${id}`}>
      <h2>
        <Badge tone={toneOf(finding)}>{titleOf(finding)}</Badge> {label} <span class="muted">{id}</span>
      </h2>
      <p class="brk">{paragraph}</p>
      {differences.length > 0 && (
        <Table label={`Differences of ${id}`} class="brk" heads={['What differs', 'Baseline', 'This try']}>
          {differences.map(({ what, baseline, tried }, place) => (
            <tr key={`${place} ${what}`}>
              <td>{what}</td>
              <td>{baseline || '–'}</td>
              <td>
                <span class={toneOf(finding) === 'bad' ? css.tried : undefined}>{tried || '–'}</span>
              </td>
            </tr>
          ))}
        </Table>
      )}
      <p class="brk">
        <strong>Remedy.</strong> {remedy}
      </p>
      <Pre label={`Command of ${id}`}>{repeat}</Pre>
      <ul class="brk">
        {named.map((cell) => (
          <li key={cell.id}>
            {cellSentence(cell)} <Traces cell={cell} tracesOf={tracesOf} />
          </li>
        ))}
        {cells.length > named.length && <li>and {counted(cells.length - named.length, 'more misfortune')}</li>}
      </ul>
      {files.length > 0 && (
        <p class="brk">
          Files: <Files files={files} areBeside={hasFiles} />
        </p>
      )}
      {scenario !== undefined && (
        <details>
          <summary>The scenario that plays it</summary>
          <Pre label={`Scenario of ${id}`}>{scenario}</Pre>
        </details>
      )}
    </section>
  );
}

const Pre = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <Scroll as="pre" label={label}>
    {children}
  </Scroll>
);

/** Only a plain name in the folder of the report is a link. */
const FILE = /^\w[\w.-]{0,100}$/;

const Files = ({ files, areBeside }: { files: readonly string[]; areBeside: boolean }) => (
  <>
    {files.map((name, place) => (
      <span key={name}>
        {place > 0 && ', '}
        {areBeside && FILE.test(name) ? (
          <a href={name} download>
            {name}
          </a>
        ) : (
          <code>{name}</code>
        )}
      </span>
    ))}
  </>
);

function Traces({ cell, tracesOf }: { cell: Cell; tracesOf: ViewProps['tracesOf'] }) {
  const link = tracesOf?.(cell);
  return link === undefined ? null : (
    <a href={link}>
      Traces<span class="unseen"> of {cell.id}</span>
    </a>
  );
}

/** The cells of each site, with what happened. */
function Sites({ rows, run: { findings }, tracesOf }: { rows: readonly MatrixRow[] } & ViewProps) {
  const accepted = new Set(findings.flatMap(({ id, accepted }) => (accepted ? [id] : [])));
  let room = MOST_CELLS;
  return (
    <>
      {rows.map(({ site, fields }, place) => {
        const all = fields.flatMap((field) => field?.cells ?? []).map(({ cell }) => cell);
        const cells = all.slice(0, room);
        room -= cells.length;
        return (
          <div key={site.id} class={css.site}>
            <h3 id={siteAnchor(place)} class="brk">
              {site.label} <span class="muted">{factsOf(all)}</span>
            </h3>
            {cells.length > 0 && (
              <Table label={`Misfortunes: ${site.label}`} class="brk" heads={['Id', 'Misfortune', 'Outcome', 'Time']} numbers={['Time']}>
                {cells.map((cell) => {
                  const { tone } = outcomeOf(cell, accepted.has(cell.finding ?? ''));
                  return (
                    <tr key={cell.id}>
                      <td>{cell.id}</td>
                      <td>{cell.label}</td>
                      <td>
                        <Badge tone={tone}>{cell.verdict === undefined ? 'not tried' : cell.verdict.replace('-', ' ')}</Badge>{' '}
                        {cell.verdict !== undefined && (cell.reason ?? SENTENCES[cell.verdict])} <Traces cell={cell} tracesOf={tracesOf} />
                      </td>
                      <td class="number">{cell.ms === undefined ? '–' : duration(cell.ms)}</td>
                    </tr>
                  );
                })}
              </Table>
            )}
            <More count={all.length - cells.length} one="more misfortune" />
          </div>
        );
      })}
    </>
  );
}

/** `2 of 18 fail` */
function factsOf(cells: readonly Cell[]): string {
  const failing = cells.filter(({ verdict }) => verdict !== undefined && isFailing(verdict)).length;
  const tried = cells.filter(isTried).length;
  return failing > 0 ? `${failing} of ${tried} fail` : tried === 0 ? 'not tried' : `${tried} tried, none fails`;
}
