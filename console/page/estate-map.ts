import { h } from 'preact';
import type { Output } from './control.ts';
import { type DrawnCall, LANE, layoutEstateMap, MAP, NODE } from './estate-map-layout.ts';
import { applicationTitle } from './facts.ts';
import { counted } from './format.ts';
import { Card } from './parts.ts';
import { faults } from './rehearsal.ts';
import { rehearsalLink, withQuery } from './route.ts';

type Topology = Output<'read-topology'>;

/** An application, or the touchpoint mock, as the map and the list show it. */
interface MapNode {
  readonly id: string;
  readonly title: string;
  readonly owns: string;
  readonly note: string;
  readonly state: 'ready' | 'away' | 'unknown';
  readonly isStruck: boolean;
  readonly isBusy: boolean;
  readonly link: string | undefined;
}

function nodesOf({ applications, touchpoint }: Topology, rehearsal: string): readonly MapNode[] {
  const targeted = new Set(faults.value?.flatMap(({ match }) => match.application ?? []));
  return [
    ...applications.map(({ id, title, owns, state, waitingFor, hops, faults: struck }): MapNode => {
      const isStruck = struck.length > 0 || targeted.has(id);
      const activity = hops === 0 ? 'quiet' : counted(hops, 'hop');
      return {
        id,
        title: shortTitle(title),
        owns,
        state,
        isStruck,
        isBusy: hops > 0,
        note:
          state === 'away' ? `away${waitingFor === undefined ? '' : `: ${waitingFor}`}` : isStruck ? `${activity} · ⚡ fault` : activity,
        link: withQuery(rehearsalLink(rehearsal, 'activity'), { application: id }),
      };
    }),
    {
      id: 'touchpoint',
      title: 'Touchpoint',
      owns: 'a mock of checkout lanes, for clients of its own',
      note: touchpoint.state === 'ready' ? 'mock, apart' : touchpoint.state === 'unknown' ? 'in its own process' : 'away',
      state: touchpoint.state,
      isStruck: false,
      isBusy: false,
      link: touchpoint.portal,
    },
  ];
}

/** A node has room for one short name. */
const shortTitle = (title: string): string => title.replace(/ (?:Platform|Service|App|Engine)$/, '');

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
          'aria-label': 'Map of the estate. The list below it says the same.',
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
      h('span', {}, '⚡ a fault is set or struck'),
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
  const { title, note, link, state, isStruck, isBusy } = node;
  return h(
    'a',
    { class: isBusy ? 'busy' : undefined, href: link, 'aria-label': `${title} ${note}, ${state}`, ...outside(link) },
    h('rect', { class: 'node', x, y, width: NODE.width, height: NODE.height, rx: 7 }),
    h('circle', { class: toneOf(state, isStruck), cx: x + 14, cy: y + 16, r: 4.5 }),
    h('text', { x: x + 25, y: y + 20 }, title),
    ' ',
    h('text', { class: 'sub', x: x + 25, y: y + 35 }, note.length > 22 ? `${note.slice(0, 21)}…` : note),
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
      h('span', { class: 'meta' }, `${node.state}; owns ${node.owns}`, calls.length > 0 && `; ${calls.map(callOf).join(', ')}`),
    ),
  );

/** The portal is a site of its own. */
const outside = (link: string | undefined) => (link?.startsWith('/') === false ? { target: '_blank', rel: 'noreferrer' } : {});
const toneOf = (state: MapNode['state'], isStruck: boolean): string =>
  state === 'away' ? 'away' : state === 'unknown' ? 'none' : isStruck ? 'hit' : 'ok';
const failures = (failed: number): string => (failed === 0 ? '' : ` (${failed.toLocaleString('en')} failed)`);
const callOf = ({ to, calls, failed }: DrawnCall): string => `called ${applicationTitle(to)} ${counted(calls, 'time')}${failures(failed)}`;
const sentenceOf = (call: DrawnCall): string => `${applicationTitle(call.from)} ${callOf(call)}`;

function summaryOf(nodes: readonly MapNode[], calls: readonly DrawnCall[]): string {
  const applications = nodes.filter(({ id }) => id !== 'touchpoint');
  const away = applications.filter(({ state }) => state === 'away').map(({ title }) => title);
  const struck = applications.filter(({ isStruck }) => isStruck).map(({ title }) => title);
  const called = calls.reduce((sum, one) => sum + one.calls, 0);
  return [
    `${applications.length - away.length} of ${applications.length} applications ready`,
    away.length > 0 && `away: ${away.join(', ')}`,
    called === 0 ? 'no calls between them yet' : `${counted(called, 'call')} between them`,
    struck.length > 0 && `⚡ ${struck.join(', ')}`,
  ]
    .filter(Boolean)
    .join('; ');
}
