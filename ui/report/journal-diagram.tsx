import '../kit/tokens.css';
import '../kit/tones.css';
import { renderToString } from 'preact-render-to-string';
import type { ListedHop } from '../data/hop.ts';
import { Heads, Messages } from '../sequence/drawing.tsx';
import { partsOf } from '../sequence/parts.ts';
import css from '../sequence/sequence.module.css';
import { sequenceOf } from '../sequence/sequence.ts';
import { columnsOf, GEOMETRY } from '../sequence/sequence-layout.ts';

const ROOM = 1_140;

/** The sequence of a journal as a standalone SVG file. @param styles the sheet of this module */
export function journalSvg(hops: readonly ListedHop[], styles: string): string {
  const { participants, arrows } = sequenceOf(hops);
  const columns = columnsOf(participants, ROOM);
  let height = 0;
  const parts = partsOf([arrows], columns)
    .flat()
    .map((part) => {
      const y = height;
      height += part.height;
      return (
        <g key={y} transform={`translate(0 ${y})`}>
          {part.top > 0 && <Heads columns={columns} />}
          <Messages layout={part} />
        </g>
      );
    });
  height = Math.max(height, GEOMETRY.row);
  return `${renderToString(
    <svg
      class={css.sequence}
      xmlns="http://www.w3.org/2000/svg"
      width={columns.width}
      height={height}
      viewBox={`0 0 ${columns.width} ${height}`}
    >
      <title>Sequence diagram</title>
      <style dangerouslySetInnerHTML={{ __html: styles }} />
      <rect class={css.paper} width="100%" height="100%" />
      {parts}
      {parts.length === 0 && (
        <text x={6} y={20}>
          The journal has no matching hop.
        </text>
      )}
    </svg>,
  )}\n`;
}
