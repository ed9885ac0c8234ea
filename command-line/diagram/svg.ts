import { readFile } from 'node:fs/promises';
import { applicationTitle } from '../../ui/data/titles.ts';
import { type Columns, columnsOf, GEOMETRY, type PlacedArrow, type PlacedPart, placePart } from '../../ui/sequence/part-layout.ts';
import type { Part } from '../../ui/sequence/parts.ts';
import type { Arrow, Sequence } from '../../ui/sequence/sequence.ts';
import { BAR, inLines, lineY, shaft, tip } from '../../ui/sequence/shapes.ts';
import { CLIENT } from '../../ui/sequence/trace-tree.ts';
import { arrowSentence, arrowWords } from '../../ui/sequence/words.ts';
import { type Content, Markup, markup } from '../output/markup.ts';

const { heads: HEADS, row: ROW } = GEOMETRY;
/** Estimated pixels of a character. They decide whether a label fits to the right of its arrow's start. */
const CHARACTER = { name: 6.4, facts: 5.8 } as const;

/** One part of a diagram, styled by `diagram.css`. */
export function drawPart(part: Part, columns: Columns): Markup {
  const placed = placePart(part.lines, columns, part.hasHeads);
  const { width } = columns;
  const { height } = placed;
  return markup`<svg class="seq" xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${inWords(part)}">${content(placed, columns, part.hasHeads)}</svg>`;
}

/** The most arrows in the text for screen readers. */
const MOST_SPOKEN = 12;
function inWords({ lines }: Part): string {
  const arrows = lines.flatMap((line) => ('arrow' in line ? [arrowSentence(line.arrow)] : []));
  const more = arrows.length > MOST_SPOKEN ? [`and ${arrows.length - MOST_SPOKEN} more`] : [];
  return [...arrows.slice(0, MOST_SPOKEN), ...more].join('; ');
}

/** A whole diagram as a standalone file. */
export async function svgOf({ participants }: Sequence, parts: readonly Part[]): Promise<string> {
  const styles = await diagramStyles();
  const columns = columnsOf(participants);
  let y = 0;
  const drawn = parts.map((part) => {
    const placed = placePart(part.lines, columns, part.hasHeads);
    const at = y;
    y += placed.height;
    return markup`<svg y="${at}" width="${columns.width}" height="${placed.height}">${content(placed, columns, part.hasHeads)}</svg>`;
  });
  const { width } = columns;
  const height = Math.max(y, ROW);
  return `${
    markup`<svg class="seq" xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><title>Sequence diagram</title><style>${new Markup(styles)}</style><rect class="paper" width="100%" height="100%"/>${drawn}${parts.length === 0 && markup`<text x="6" y="20">The journal has no matching hop.</text>`}</svg>`
      .text
  }\n`;
}

/** The styles of a diagram, with light and dark colours. Print is always light. */
export async function diagramStyles(): Promise<string> {
  const [tokens = '', sequence, diagram] = await Promise.all(
    ['../../ui/kit/tokens.css', '../../ui/sequence/sequence.css', './diagram.css'].map((file) =>
      readFile(new URL(file, import.meta.url), 'utf8'),
    ),
  );
  return `${tokens.replaceAll('@media (prefers-color-scheme: dark)', '@media screen and (prefers-color-scheme: dark)')}\n${sequence}\n${diagram}`;
}

const content = ({ arrows, clocks, top, height }: PlacedPart, { all, gap, width }: Columns, hasHeads: boolean): Content => [
  all.map(({ x }) => markup`<path class="life" d="M${x} ${top}V${height}"/>`),
  hasHeads && all.map(({ id, x }) => head(id, x, gap)),
  clocks.map(
    ({ text, y }) => markup`<path class="jump" d="M0 ${y - 4}H${width}"/><text class="clock" x="${width / 2}" y="${y}">${text}</text>`,
  ),
  arrows.map(
    ({ arrow, bar }) => markup`<rect class="act ${toneOf(arrow)}" x="${bar.x}" y="${bar.y}" width="${BAR}" height="${bar.height}" rx="2"/>`,
  ),
  arrows.map((placed) => drawArrow(placed, width)),
];

/** Red: failed. Amber: refused, or a fault struck. Violet: events and webhooks. */
function toneOf({ hop, kind }: Arrow): string {
  if (hop.status >= 500 || hop.status === 0) return 'no';
  if (hop.faults.length > 0 || hop.status >= 400) return 'fault';
  return { request: '', call: '', event: 'evt', webhook: 'evt', timer: 'due' }[kind];
}

function head(id: string, x: number, gap: number): Markup {
  const box = Math.min(gap - 6, 128);
  const lines = inLines(applicationTitle(id), box - 8, 7.4);
  const texts = lines.map((line, index) => markup`<text class="head" x="${x}" y="${lineY(lines, index)}">${line}</text>`);
  return markup`<rect class="headbox ${id === CLIENT && 'client'}" x="${x - box / 2}" y="2" width="${box}" height="${HEADS - 8}" rx="6"/>${texts}`;
}

function drawArrow({ arrow, y, fromX, toX, bar }: PlacedArrow, width: number): Markup {
  const { name, facts, faults } = arrowWords(arrow);
  const isStruck = faults.length > 0;
  const shownName = `${isStruck ? '⚡ ' : ''}${name}`;
  const shownFacts = [facts, ...faults].join(' · ');
  const left = Math.min(fromX, toX) + (fromX === toX ? 18 : 8);
  const room = width - 4;
  const length = shownName.length * CHARACTER.name + shownFacts.length * CHARACTER.facts + 6;
  const anchor = left + length <= room ? markup`x="${left}" text-anchor="start"` : markup`x="${room}" text-anchor="end"`;
  return markup`<g class="${arrow.kind} ${toneOf(arrow)}"><title>${arrowSentence(arrow)}</title><path class="arrow" d="${shaft(fromX, toX, y, bar.x)}"/><path class="tip" d="${tip(fromX, toX, y, bar.x)}"/><text class="label" y="${y - 6}" ${anchor}>${shownName}<tspan class="ms" dx="5">${shownFacts}</tspan></text></g>`;
}
