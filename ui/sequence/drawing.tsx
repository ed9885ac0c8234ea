import { applicationTitle } from '../data/titles.ts';
import css from './sequence.module.css';
import { CLIENT, type Message } from './sequence.ts';
import { type Columns, GEOMETRY, headWidth, type Layout, type PlacedMessage } from './sequence-layout.ts';
import { arrowSentence, arrowWords } from './words.ts';

const { head: HEAD, row: ROW, bar: BAR } = GEOMETRY;
/** Estimated pixels of a character. They decide where a label fits. */
const CHARACTER = { head: 7.2, name: 6.4, facts: 5.8 } as const;
/** The most characters of the name, and of the facts, of a message. */
const MOST = 60;

/** The names of the participants. */
export const Heads = ({ columns: { all, gap } }: { columns: Columns }) => (
  <>
    {all.map(({ id, x }) => {
      const box = headWidth(gap);
      const lines = inLines(applicationTitle(id), box - 8);
      return (
        <g key={id}>
          <rect class={id === CLIENT ? css.client : css.headBox} x={x - box / 2} y={2} width={box} height={HEAD - 4} rx={6} />
          {lines.map((line, index) => (
            <text key={line} class={css.head} x={x} y={lines.length === 1 ? 24 : 18 + index * 13}>
              {line}
            </text>
          ))}
        </g>
      );
    })}
  </>
);

/** A name that is too long for its box takes two lines. */
function inLines(title: string, box: number): readonly string[] {
  const cut = title.indexOf(' ');
  return cut > 0 && title.length * CHARACTER.head > box ? [title.slice(0, cut), title.slice(cut + 1)] : [title];
}

interface MessagesProps<M extends Message> {
  readonly layout: Layout<M>;
  /** Where a message leads; otherwise it has a title. */
  readonly hopLink?: (message: M) => string;
  readonly selected?: M | undefined;
  /** The messages that are drawn, if the diagram is long. */
  readonly first?: number;
  readonly end?: number;
}

/** The lifelines, notes and messages of a diagram, or of a part of it. */
export function Messages<M extends Message>({ layout, hopLink, selected, first = 0, end = layout.messages.length }: MessagesProps<M>) {
  const { columns, messages, notes, top, height } = layout;
  const shown = messages.slice(first, end);
  const begin = shown[0]?.y ?? 0;
  // The bar of a caller is as long as its calls.
  const bars = messages.slice(0, end).filter(({ bar }) => bar.y + bar.height >= begin);
  const { width } = columns;
  return (
    <>
      {columns.all.map(({ id, x }) => (
        <path key={id} class={css.life} d={`M${x} ${top}V${height}`} />
      ))}
      {notes.map(({ text, y }) => (
        <g key={y}>
          <path class={css.cut} d={`M0 ${y - 4}H${width}`} />
          <text class={css.note} x={width / 2} y={y}>
            {text}
          </text>
        </g>
      ))}
      {shown.map((placed) => {
        const { message } = placed;
        const tones = `${css[message.kind]} ${css[toneOf(message)]}`;
        return hopLink ? (
          <a
            key={keyOf(placed)}
            href={hopLink(message)}
            class={tones}
            aria-current={message === selected ? 'true' : undefined}
            aria-label={`${wordsOf(message)}, hop ${placed.number}, ${applicationTitle(message.from)} to ${applicationTitle(message.hop.application)}`}
          >
            <rect class={css.hit} x={0} y={placed.y - 21} width={width} height={ROW - 1} />
            <Arrow {...placed} />
          </a>
        ) : (
          <g key={keyOf(placed)} class={tones}>
            <title>{arrowSentence(message)}</title>
            <Arrow {...placed} />
          </g>
        );
      })}
      {bars.map((placed) => (
        <rect
          key={keyOf(placed)}
          class={`${css.bar} ${css[toneOf(placed.message)]}`}
          x={placed.bar.x}
          y={placed.bar.y}
          width={BAR}
          height={placed.bar.height}
          rx={2}
        />
      ))}
      {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: a group of texts takes no focus; the names of the links have these words. */}
      <g aria-hidden="true">
        {shown.map((placed) => (
          <Label key={keyOf(placed)} placed={placed} width={width} isSelected={placed.message === selected} />
        ))}
      </g>
    </>
  );
}

const keyOf = ({ message: { hop } }: PlacedMessage): string => `${hop.requestId} ${hop.sequence}`;

/** Red: failed. Amber: refused, or a fault struck. Violet: events and webhooks. */
function toneOf({ hop, kind }: Message): 'plain' | 'delivered' | 'due' | 'struck' | 'failed' {
  if (hop.status >= 500 || hop.status === 0) return 'failed';
  if (hop.faults.length > 0 || hop.status >= 400) return 'struck';
  return ({ request: 'plain', call: 'plain', event: 'delivered', webhook: 'delivered', timer: 'due' } as const)[kind];
}

/** An arrow ends at the bar of the callee. A hop that an application causes itself is a loop. */
export function Arrow({ fromX, toX, y, bar }: Pick<PlacedMessage, 'fromX' | 'toX' | 'y' | 'bar'>) {
  const right = bar.x + BAR;
  const isLoop = fromX === toX;
  const straight = fromX < toX ? `M${fromX + BAR / 2} ${y}H${bar.x - 6}` : `M${fromX - BAR / 2} ${y}H${right + 6}`;
  return (
    <>
      <path class={css.arrow} d={isLoop ? `M${right} ${y - 3}h14v7h-7` : straight} />
      <path class={css.tip} d={fromX < toX ? `M${bar.x} ${y}l-7 -4v8z` : `M${right} ${isLoop ? y + 4 : y}l7 -4v8z`} />
    </>
  );
}

const nameOf = (message: Message): string => `${message.hop.faults.length > 0 ? '⚡ ' : ''}${arrowWords(message).name}`;

function wordsOf(message: Message): string {
  const { facts, faults } = arrowWords(message);
  return [`${nameOf(message)} ${facts}`, ...faults].join(' · ');
}

interface LabelProps {
  readonly placed: PlacedMessage;
  readonly width: number;
  readonly isSelected: boolean;
}

/** The words of a message. If they do not fit, the faults are left out. If the rest does not fit either, it is aligned at the right. */
function Label({ placed: { message, number, y, fromX, toX }, width, isSelected }: LabelProps) {
  const { facts: outcome, faults } = arrowWords(message);
  const name = clipped(nameOf(message));
  const numbered = `${number} ${name}`;
  const left = Math.min(fromX, toX) + (fromX === toX ? 18 : 8);
  const fits = (facts: string): boolean => left + numbered.length * CHARACTER.name + facts.length * CHARACTER.facts + 6 < width;
  const whole = clipped([outcome, ...faults].join(' · '));
  const facts = fits(whole) ? whole : clipped(outcome);
  return (
    <text
      class={`${css.label} ${css[toneOf(message)]} ${isSelected ? css.selected : ''}`}
      x={fits(facts) ? left : width - 6}
      y={y - 6}
      text-anchor={fits(facts) ? 'start' : 'end'}
    >
      <tspan class={css.number}>{number}</tspan> {name}
      <tspan class={css.facts} dx={5}>
        {facts}
      </tspan>
    </text>
  );
}

const clipped = (text: string): string => (text.length > MOST ? `${text.slice(0, MOST - 1)}…` : text);
