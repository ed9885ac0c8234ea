import { h } from 'preact';
import { applicationTitle } from '../data/data.ts';
import { Card, counted } from '../kit/kit.ts';
import { type DrawnCall, LANE, layoutEstateMap, MAP, NODE } from './estate-map-layout.ts';
import { type MapNode, nodesOf, type Topology } from './estate-nodes.ts';

/** Who calls whom in this rehearsal, as a picture and as a list. */
export function EstateMap({ estate, rehearsal }: { estate: Topology; rehearsal: string }) {
  const nodes = nodesOf(estate, rehearsal);
  const { lanes, nodes: places, calls } = layoutEstateMap(estate.seen);
  const placed = places.flatMap(({ id, x, y }) => {
    const node = nodes.find((one) => one.id === id);
    return node ? [{ node, x, y }] : [];
  });
  return h(
    Card,
    { title: 'Estate', aside: h('span', { class: 'muted' }, 'calls of this rehearsal') },
    h(
      'div',
      { class: 'in map-box' },
      h(
        'svg',
        {
          class: 'map',
          viewBox: `0 0 ${MAP.width} ${MAP.height}`,
          role: 'group',
          'aria-label': 'Map of the estate. The list below has the same content.',
        },
        lanes.map(({ title, x }) => [
          h('rect', { key: title, class: 'lane-bg', x, y: LANE.top, width: LANE.width, height: LANE.height, rx: 8 }),
          h('text', { class: 'lane', x: x + 20, y: 23 }, title),
        ]),
        calls.map((call) => h(Line, { key: `${call.from} ${call.to}`, call })),
        placed.map(({ node, x, y }) => h(Node, { key: node.id, node, x, y })),
      ),
    ),
    h(
      'p',
      { class: 'legend' },
      h('span', {}, h('i', {}), 'calls, thicker is more often'),
      h('span', {}, h('i', { class: 'failed' }), 'some of them failed'),
      h('span', { class: 'good-text' }, h('span', { class: 'dot', 'aria-hidden': 'true' }), ' ready'),
      h('span', {}, '◇ a fault is set and has not struck'),
      h('span', {}, '⚡ a fault has struck'),
      h('span', {}, '✕ a fault keeps all calls away'),
    ),
    h(
      'details',
      { class: 'apps' },
      h('summary', {}, summaryOf(nodes, calls)),
      h(
        'ul',
        { class: 'rows' },
        nodes.map((node) => h(NodeRow, { key: node.id, node, calls: calls.filter(({ from }) => from === node.id) })),
      ),
    ),
  );
}

function Line({ call }: { call: DrawnCall }) {
  const { line, tip, thickness, failed } = call;
  return h(
    'g',
    { class: failed > 0 ? 'call failed' : 'call' },
    h('title', {}, sentenceOf(call)),
    h('path', { d: line, 'stroke-width': thickness }),
    h('path', { class: 'tip', d: tip }),
  );
}

function Node({ node, x, y }: { node: MapNode; x: number; y: number }) {
  const { title, note, shortNote, link, isBusy } = node;
  const classes = [isBusy && 'busy', node.faults.isDown && 'down'].filter(Boolean).join(' ');
  return h(
    'a',
    { class: classes || undefined, href: link, 'aria-label': `${title} ${note}, ${stateOf(node)}`, ...outside(link) },
    h('rect', { class: 'node', x, y, width: NODE.width, height: NODE.height, rx: 7 }),
    h('circle', { class: toneOf(node), cx: x + 14, cy: y + 16, r: 4.5 }),
    h('text', { x: x + 25, y: y + 20 }, title),
    ' ',
    h('text', { class: 'sub', x: x + 25, y: y + 35 }, shortNote),
  );
}

const NodeRow = ({ node, calls }: { node: MapNode; calls: readonly DrawnCall[] }) =>
  h(
    'li',
    {},
    h(
      'a',
      { href: node.link, ...outside(node.link) },
      h('span', { class: 'what' }, node.title),
      h('span', { class: 'muted' }, node.note),
      h('span', { class: 'meta' }, `${stateOf(node)}; owns ${node.owns}`, calls.length > 0 && `; ${calls.map(callOf).join(', ')}`),
    ),
  );

/** The portal is a separate site. */
const outside = (link: string | undefined) => (link?.startsWith('/') === false ? { target: '_blank', rel: 'noreferrer' } : {});
/** A ready application can be out of reach in one rehearsal. */
const stateOf = ({ state, faults }: MapNode): string => (faults.isDown && state === 'ready' ? 'ready, down by a fault' : state);

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
  const struck = titles(({ faults }) => faults.hasStruck);
  const set = titles(({ faults }) => faults.isSet && !faults.hasStruck);
  const called = calls.reduce((sum, one) => sum + one.calls, 0);
  return [
    `${applications.length - away.length} of ${applications.length} applications ready`,
    away.length > 0 && `away: ${away.join(', ')}`,
    down !== '' && `✕\u00a0down by a fault: ${down}`,
    called === 0 ? 'no calls between them yet' : `${counted(called, 'call')} between them`,
    struck !== '' && `⚡\u00a0faults struck ${struck}`,
    set !== '' && `◇\u00a0faults set on ${set}`,
  ]
    .filter(Boolean)
    .join('; ');
}
