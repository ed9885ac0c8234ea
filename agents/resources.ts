import type { ControlOperation } from '../shared/catalog/control/define-operation.ts';
import { FORBIDDEN, PERMITTED } from '../shared/catalog/control/drift.ts';
import { faultPresets } from '../shared/catalog/control/fault-presets.ts';
import { faultKinds } from '../shared/catalog/control/faults.ts';
import type { ApiDefinition } from '../shared/catalog/define.ts';
import { allEvents } from '../shared/catalog/events.ts';
import { magicValues } from '../shared/catalog/magic-values.ts';
import { objects } from '../shared/catalog/objects.ts';
import { JsonSchemas } from '../shared/contract/json-schemas.ts';
import { MOST_CHARACTERS, shorten } from './answer.ts';
import { callableApis, callableOperations } from './calls.ts';

/** A document about the estate, derived from its catalog. */
interface Resource {
  readonly name: string;
  readonly uri: string;
  readonly title: string;
  readonly description: string;
  readonly text: () => string;
}

/** Documents by the id in their address. */
export interface ResourceFamily {
  readonly name: string;
  readonly template: string;
  readonly title: string;
  readonly description: string;
  readonly ids: readonly string[];
  /** @returns undefined for an unknown id */
  readonly text: (id: string) => string | undefined;
}

const apiList = (): string =>
  [...Map.groupBy(callableApis, ({ application }) => application)]
    .map(([application, list]) =>
      [`## ${application}`, ...list.map(({ id, method, path, query }) => `${id}: ${method} ${path}${queryOf(query)}`)].join('\n'),
    )
    .join('\n\n');

const queryOf = ({ shape }: ApiDefinition['query']): string => {
  const names = Object.keys(shape);
  return names.length === 0 ? '' : `?${names.join('&')}`;
};

const operationList = (): string =>
  callableOperations
    .map(({ id, method, path, query, summary }) => `${id}: ${method} ${path}${queryOf(query)}\n  ${firstSentence(summary)}`)
    .join('\n');

const firstSentence = (text: string): string => /^.*?[.:](?= |$)/s.exec(text)?.[0] ?? text;

const eventList = (): string => allEvents.map(({ name, object, meaning }) => `${name} (${object}): ${meaning}`).join('\n');

const lifeCycleList = (): string =>
  objects
    .flatMap(({ type, owner, lifeCycle }) => (lifeCycle ? [`${type} (${owner}): ${lifeCycle.states.join(', ')}`] : []))
    .concat('', 'estate://life-cycles/{object} has the verbs, their events and causes.')
    .join('\n');

function lifeCycleOf(type: string): string | undefined {
  const lifeCycle = objects.find((object) => object.type === type)?.lifeCycle;
  return lifeCycle?.rows
    .map(({ verb, from, to, events, again, trigger }) => {
      const target = again ? 'nothing happens' : to.join(' or ') || 'state stays';
      return `${verb}: ${from.map((state) => state ?? '(new)').join(', ')} -> ${target}${events.length > 0 ? ` [${events.join(', ')}]` : ''}. ${trigger}`;
    })
    .join('\n');
}

const testValues = (): string =>
  magicValues
    .map(({ title, rows }) =>
      [`## ${title}`, ...rows.map(({ values, also, use }) => `${[...values, ...(also ? [also] : [])].join(', ')}: ${use}`)].join('\n'),
    )
    .join('\n\n');

const faultList = (): string =>
  [
    'A rule: {"match": one target, "fault": {"kind": …}, "times"?: 1}',
    ...Object.entries(faultKinds).map(([target, kinds]) => `On a ${target}: ${kinds.join(', ')}`),
    'Targets: {"api": "capture-payment-api"}, {"application": "payment-hub"}, {"event": "order-confirmed", "subject"?: "order/ord_…"}, {"webhook": "carrier", "status"?: "delivered"}',
    'Members: latency {"ms"}, status {"status", "code"?}, lost-response {"as"?: "timeout", "reset" or "half"}, barrier {"parties"}, duplicate {"copies"?}, late {"by": "PT10M"}, reorder {"within"?: "P1D"}, permitted and forbidden {"change"}',
    `Permitted changes: ${PERMITTED.join(', ')}`,
    `Forbidden changes: ${FORBIDDEN.join(', ')}`,
    '',
    '## Presets',
    ...faultPresets.map(({ id, effect }) => `${id}: ${effect}`),
  ].join('\n');

export const resources: readonly Resource[] = [
  {
    name: 'apis',
    uri: 'estate://apis',
    title: 'APIs',
    description: 'The APIs of the retailer by application: id, method and path.',
    text: apiList,
  },
  {
    name: 'operations',
    uri: 'estate://operations',
    title: 'Outside world and insight',
    description:
      'What call can do in addition to the APIs: play the carrier, the shop and customer service; read objects, events and the journal.',
    text: operationList,
  },
  {
    name: 'events',
    uri: 'estate://events',
    title: 'Events',
    description: 'The events on the bus, each with its object and meaning.',
    text: eventList,
  },
  {
    name: 'life-cycles',
    uri: 'estate://life-cycles',
    title: 'Life cycles',
    description: 'The business objects with their owners and states.',
    text: lifeCycleList,
  },
  {
    name: 'test-values',
    uri: 'estate://test-values',
    title: 'Test values',
    description: 'Products, customers, vouchers, payment tokens and carrier services made for testing, each with its effect.',
    text: testValues,
  },
  {
    name: 'faults',
    uri: 'estate://faults',
    title: 'Faults',
    description: 'Kinds of faults, their targets, and the presets.',
    text: faultList,
  },
];

const callables: readonly (ApiDefinition | ControlOperation)[] = [...callableApis, ...callableOperations];

/** Parts of a schema for readers: an answer is shown to the depth that fits. */
function schemaOf(id: string): string | undefined {
  const found = callables.find((one) => one.id === id);
  if (!found) return undefined;
  const { method, path, summary, query, request, response, status, problems } = found;
  const described = (schema: typeof request, io: 'input' | 'output') => {
    const schemas = new JsonSchemas('draft-2020-12');
    return { ...schemas.of(schema, io), ...(Object.keys(schemas.all()).length > 0 && { $defs: schemas.all() }) };
  };
  const sent = {
    ...(Object.keys(query.shape).length > 0 && { query: described(query, 'input') }),
    ...(method !== 'GET' && method !== 'DELETE' && { body: described(request, 'input') }),
  };
  const head = { id, method, path, summary, status, problems };
  const shown = shorten(sent, MOST_CHARACTERS * 0.6).value;
  const left = MOST_CHARACTERS - JSON.stringify({ ...head, ...(shown as object) }).length - 50;
  return JSON.stringify({ ...head, ...(shown as object), answer: shorten(described(response, 'output'), left).value });
}

export const families: readonly ResourceFamily[] = [
  {
    name: 'api',
    template: 'estate://apis/{id}',
    title: 'One API',
    description: 'Method, path, problems and JSON Schemas of one API, or of one call of estate://operations.',
    ids: callables.map(({ id }) => id),
    text: schemaOf,
  },
  {
    name: 'life-cycle',
    template: 'estate://life-cycles/{id}',
    title: 'One life cycle',
    description: 'The verbs of one object: their states before and after, events and causes.',
    ids: objects.flatMap(({ type, lifeCycle }) => (lifeCycle ? [type] : [])),
    text: lifeCycleOf,
  },
];
