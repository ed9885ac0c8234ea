import { inOneLine } from '../../shared/domain/printable.ts';
import { applicationTitle } from '../data/titles.ts';
import { clockJump } from './clock-jumps.ts';
import type { Arrow, Sequence } from './sequence.ts';
import { arrowWords } from './words.ts';

/** Events and webhooks have an open head. Events and timers have a dotted line. A cross is a failure. */
const HEADS = { request: '->>', call: '->>', event: '--)', webhook: '-)', timer: '-->>' } as const;
const FAILED = { request: '-x', call: '-x', event: '--x', webhook: '-x', timer: '--x' } as const;

/** A section of a diagram, with a title above its arrows. */
export interface Section {
  readonly title?: string;
  readonly arrows: readonly Arrow[];
}

/** The diagram in Mermaid syntax. */
export function mermaidOf({ participants }: Sequence, sections: readonly Section[]): string {
  const aliases = new Map(participants.map((id, index) => [id, `p${index + 1}`]));
  const aliasOf = (id: string): string => aliases.get(id) ?? 'p1';
  const everybody = [...new Set([aliasOf(participants[0] ?? ''), aliasOf(participants.at(-1) ?? '')])].join(',');
  let before: Arrow | undefined;
  const lines = sections.flatMap(({ title, arrows }) => [
    ...(title === undefined ? [] : [`Note over ${everybody}: ${plain(title)}`]),
    ...arrows.flatMap((arrow) => {
      const clock = clockJump(before, arrow);
      before = arrow;
      return [...(clock === undefined ? [] : [`Note over ${everybody}: ${plain(clock)}`]), messageOf(arrow, aliasOf)];
    }),
  ]);
  const declared = participants.map((id) => `participant ${aliasOf(id)} as ${plain(applicationTitle(id))}`);
  const nothing = participants.length === 0 ? ['participant p1 as Journal', 'Note over p1: The journal has no matching hop.'] : [];
  return `${['sequenceDiagram', '  autonumber', ...[...declared, ...nothing, ...lines].map((line) => `  ${line}`)].join('\n')}\n`;
}

function messageOf(arrow: Arrow, aliasOf: (id: string) => string): string {
  const { name, facts, faults } = arrowWords(arrow);
  const { status } = arrow.hop;
  const head = (status >= 500 || status === 0 ? FAILED : HEADS)[arrow.kind];
  const text = [`${faults.length > 0 ? '⚡ ' : ''}${name} ${facts}`, ...faults].join(' · ');
  return `${aliasOf(arrow.from)}${head}${aliasOf(arrow.to)}: ${plain(text)}`;
}

/** Escapes the characters that Mermaid reads as syntax or as HTML. */
const plain = (text: string): string => inOneLine(text, 160).replaceAll(/[#;<>&"`%{}\\]/g, (character) => `#${character.charCodeAt(0)};`);
