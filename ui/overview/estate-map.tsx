import { applicationTitle, settingLink } from '../data/data.ts';
import { Card, counted, isNarrow, Row } from '../kit/kit.ts';
import { type DrawnCall, layoutEstateMap, type MapSize, NARROW, WIDE, withoutDetails } from './estate-map-layout.ts';
import { type MapNode, nodesOf, type Topology } from './estate-nodes.ts';
import css from './overview.module.css';

/** Who calls whom in this rehearsal, as a picture and as a list. */
export function EstateMap({ estate }: { estate: Topology }) {
  const nodes = nodesOf(estate);
  const size = isNarrow.value ? NARROW : WIDE;
  const { lane, map } = size;
  const { lanes, nodes: places, calls } = layoutEstateMap(estate.seen, size);
  const placed = places.flatMap(({ id, x, y }) => {
    const node = nodes.find((one) => one.id === id);
    return node ? [{ node, x, y }] : [];
  });
  return (
    <Card title="Estate" aside={<About discarded={estate.discarded} />}>
      <div class={`in ${css.mapBox}`}>
        {/* biome-ignore lint/a11y/useSemanticElements: only an SVG can hold the drawing. */}
        <svg
          class={css.map}
          viewBox={`0 0 ${map.width} ${map.height}`}
          role="group"
          aria-label="Map of the estate. The list below has the same content."
        >
          {lanes.map(({ title, x }) => (
            <>
              <rect key={title} class={css.laneBox} x={x} y={lane.top} width={lane.width} height={lane.height} rx={8} />
              <text class={css.lane} x={x + (lane.width - size.node.width) / 2} y={23}>
                {title}
              </text>
            </>
          ))}
          {calls.map((call) => (
            <Line key={`${call.from} ${call.to}`} call={call} />
          ))}
          {placed.map(({ node, x, y }) => (
            <Node key={node.id} node={node} x={x} y={y} size={size} />
          ))}
        </svg>
      </div>
      <Legend nodes={nodes} hasFailed={estate.seen.some(({ failed }) => failed > 0)} />
      <details class={css.apps}>
        <summary>{summaryOf(nodes, calls)}</summary>
        <ul class="rows">
          {nodes.map((node) => (
            <NodeRow key={node.id} node={node} calls={calls.filter(({ from }) => from === node.id)} />
          ))}
        </ul>
      </details>
    </Card>
  );
}

/** The legend of the map: it explains the marks of faults and of real systems that are shown, and is absent without them. */
function Legend({ nodes, hasFailed }: { nodes: readonly MapNode[]; hasFailed: boolean }) {
  const has = (isOne: (node: MapNode) => unknown): boolean => nodes.some(isOne);
  const words = [
    hasFailed && '┅ some calls failed',
    has(({ faults }) => faults.isSet && !faults.hasStruck) && '◇ a fault is set and has not struck',
    has(({ faults }) => faults.hasStruck) && '⚡ a fault has struck',
    has(({ faults }) => faults.isDown) && '✕ a fault refuses all calls',
    has(({ real }) => real === 'real') && '⚑ your system answers',
    has(({ real }) => real && real !== 'real') && '⚐ your system in shadow, or its kept answers',
  ].filter(Boolean);
  return words.length > 0 ? <p class={css.legend}>{words.join(' · ')}</p> : null;
}

const About = ({ discarded }: { discarded: number }) => (
  <span class="muted small">
    calls of this rehearsal
    {discarded > 0 && (
      <>
        . {counted(discarded, 'older trace was', 'older traces were')} discarded.{' '}
        <a href={settingLink('JOURNAL_HOPS')}>How many are kept</a>
      </>
    )}
  </span>
);

function Line({ call }: { call: DrawnCall }) {
  const { line, tip, thickness, weight, failed } = call;
  return (
    <g class={`${css.call} ${failed > 0 ? css.failed : ''}`} style={{ '--weight': weight }}>
      <title>{sentenceOf(call)}</title>
      <path d={line} stroke-width={thickness} />
      <path class={css.tip} d={tip} />
    </g>
  );
}

function Node({ node, x, y, size }: { node: MapNode; x: number; y: number; size: MapSize }) {
  const { title, note, shortNote, link, isBusy, real } = node;
  const inset = size === NARROW ? 8 : 14;
  const classes = [isBusy && css.busy, real && css[real === 'real' ? 'real' : 'shadow'], node.faults.isDown && css.down]
    .filter(Boolean)
    .join(' ');
  return (
    <a class={classes || undefined} href={link} aria-label={`${title} ${note}, ${stateOf(node)}`} {...outside(link)}>
      <rect class={css.node} x={x} y={y} width={size.node.width} height={size.node.height} rx={7} />
      {real && (
        <>
          {real === 'real' && (
            <rect class={css.inner} x={x + 3} y={y + 3} width={size.node.width - 6} height={size.node.height - 6} rx={5} />
          )}
          <path class={css.flag} d={`M${x + size.node.width - 18} ${y + 7}v-14h11l-3 3.5 3 3.5h-11`} />
        </>
      )}
      <circle class={css[toneOf(node)]} cx={x + inset} cy={y + 16} r={size === NARROW ? 3.5 : 4.5} />
      <text x={x + inset + (size === NARROW ? 6 : 11)} y={y + 20}>
        {title}
      </text>{' '}
      <text class={css.sub} x={x + inset + (size === NARROW ? 6 : 11)} y={y + 35}>
        {size === NARROW ? withoutDetails(shortNote) : shortNote}
      </text>
    </a>
  );
}

const NodeRow = ({ node, calls }: { node: MapNode; calls: readonly DrawnCall[] }) => (
  <Row
    href={node.link}
    {...outside(node.link)}
    data-row={undefined}
    what={node.title}
    badge={<span class="muted">{node.note}</span>}
    meta={[`${stateOf(node)}; owns ${node.owns}${calls.length > 0 ? `; ${calls.map(callOf).join(', ')}` : ''}`]}
  />
);

/** The portal is a separate site. */
const outside = (link: string | undefined) => (link?.startsWith('/') === false ? { target: '_blank', rel: 'noreferrer' } : {});
/** A ready application can be out of reach in one rehearsal. */
const stateOf = ({ state, faults }: MapNode): string => (faults.isDown && state === 'ready' ? 'ready, but down because of a fault' : state);

function toneOf({ state, faults: { isSet, hasStruck, isDown } }: MapNode): string {
  if (state === 'unknown') return 'none';
  if (state === 'away' || isDown) return 'away';
  if (hasStruck) return 'hit';
  return isSet ? 'set' : 'ok';
}
const failures = (failed: number): string => (failed === 0 ? '' : ` (${failed.toLocaleString('en')} failed)`);
const callOf = ({ to, calls, failed }: DrawnCall): string => `called ${applicationTitle(to)} ${counted(calls, 'time')}${failures(failed)}`;
const sentenceOf = (call: DrawnCall): string => `${applicationTitle(call.from)} ${callOf(call)}`;

function summaryOf(nodes: readonly MapNode[], calls: readonly DrawnCall[]): string {
  const applications = nodes.filter(({ id }) => id !== 'touchpoint');
  const away = applications.filter(({ state }) => state === 'away').map(({ title }) => title);
  const titles = (isOne: (node: MapNode) => boolean): string =>
    applications
      .filter(isOne)
      .map(({ title }) => title)
      .join(', ');
  const down = titles(({ faults }) => faults.isDown);
  const ready = applications.filter(({ state, faults }) => state !== 'away' && !faults.isDown).length;
  const struck = titles(({ faults }) => faults.hasStruck);
  const set = titles(({ faults }) => faults.isSet && !faults.hasStruck);
  const called = calls.reduce((sum, one) => sum + one.calls, 0);
  return [
    `${ready} of ${applications.length} applications ready`,
    away.length > 0 && `away: ${away.join(', ')}`,
    down !== '' && `✕\u00a0down because of a fault: ${down}`,
    called === 0 ? 'no calls between them yet' : `${counted(called, 'call')} between them`,
    struck !== '' && `⚡\u00a0faults struck ${struck}`,
    set !== '' && `◇\u00a0faults set on ${set}`,
  ]
    .filter(Boolean)
    .join('; ');
}
