import { hash } from 'node:crypto';
import { apis } from '../../catalog/apis.ts';
import { type ChangeCarrier, type ChangeName, changesOn } from '../../catalog/control/drift.ts';
import type { Match } from '../../catalog/control/faults.ts';
import { CARRIER } from '../../catalog/control/webhooks.ts';
import type { ApiDefinition } from '../../catalog/define.ts';
import type { EventDefinition } from '../../catalog/define-object.ts';
import { nameOf } from '../../catalog/event-names.ts';
import { allEvents } from '../../catalog/events.ts';
import { objects } from '../../catalog/objects.ts';
import { inOneTurn, type Steps } from '../../domain/breathe.ts';
import { bodyChanges, type Circumstances, type Draw } from './body-changes.ts';
import { closedShape, isObject, placesOf, type Shape, shapeOf, spotsOf } from './shapes.ts';

/** Characters of a body that is changed. A longer one stays as it is, because changing it would hold up other requests. */
export const LONGEST_CHANGED = 65_536;

const shapes = new Map<string, Shape>();

function remembered(key: string, make: () => Shape): Shape {
  const shape = shapes.get(key) ?? make();
  shapes.set(key, shape);
  return shape;
}

const shapeOfApi = (api: ApiDefinition): Shape => remembered(`api ${api.id}`, () => shapeOf(api.response));

const INSTANT: Shape = { ...closedShape({}), types: new Set(['string']), format: 'date-time' };

function shapeOfEvent({ object }: EventDefinition): Shape {
  return remembered(`event of ${object}`, () => {
    const definition = objects.find(({ type }) => type === object);
    const published = definition ? shapeOf(definition.schema) : closedShape({});
    return closedShape({ time: INSTANT, data: closedShape({ object: published }) });
  });
}

function changesIn(shape: Shape, names: readonly ChangeName[]): readonly ChangeName[] {
  const places = [...placesOf(shape)];
  return names.filter((name) => bodyChanges[name]?.fits === undefined || places.some((place) => bodyChanges[name]?.fits(place)));
}

/** The changes that a fault can make to the answers of an API for clients. Calls between applications have none. */
export function changesOfApi(api: ApiDefinition): readonly ChangeName[] {
  const { audience, auth, produces, status } = api;
  if (audience === 'internal' || auth === 'signature') return [];
  if (produces !== 'application/json' || status === 204) return ['retry-after-date', 'chunked-body'];
  const hasPages = 'limit' in api.query.shape && shapeOfApi(api).members.has('nextCursor');
  return changesIn(shapeOfApi(api), changesOn('call')).filter((name) => name !== 'smallest-page' || hasPages);
}

/** The changes that a fault can make to an event for clients. */
export const changesOfEvent = (event: EventDefinition): readonly ChangeName[] => changesIn(shapeOfEvent(event), changesOn('event'));

type Target = Pick<Match, 'application' | 'api' | 'event' | 'webhook'>;

/**
 * The changes that a fault with this target can make. Which ones follows from the schemas alone. An application has the changes of its
 * APIs, and a registered webhook the changes of all events; there, a change strikes where it applies.
 */
export const changesOf = (target: Target): readonly ChangeName[] => inOneTurn(changesInSteps(target));

/** As `changesOf`. The shape of a schema is made in one step. */
export function* changesInSteps({ application, api, event, webhook }: Target): Steps<readonly ChangeName[]> {
  const found = new Set<ChangeName>();
  const carrier = event !== undefined ? 'event' : webhook !== undefined ? 'webhook' : 'call';
  for (const changes of changesByCarrier[carrier]({ application, api, event, webhook })) {
    for (const name of changes) found.add(name);
    yield;
  }
  return changesOn(carrier).filter((name) => found.has(name));
}

const changesByCarrier: { readonly [Carrier in ChangeCarrier]: (target: Target) => Generator<readonly ChangeName[], void> } = {
  *call({ application, api }) {
    const isMeant = (one: ApiDefinition): boolean => (api === undefined ? one.application === application : one.id === api);
    for (const one of Object.values<ApiDefinition>(apis)) if (isMeant(one)) yield changesOfApi(one);
  },
  *event({ event = '' }) {
    for (const one of allEvents) if (one.name === nameOf(event)) yield changesOfEvent(one);
  },
  *webhook({ webhook }) {
    if (webhook === CARRIER) return;
    for (const one of allEvents) yield changesIn(shapeOfEvent(one), changesOn('webhook'));
  },
};

/** Draws numbers that the same seed repeats. */
export function drawFrom(seed: string): Draw {
  let count = 0;
  return (below) => hash('sha256', `${seed}/${count++}`, 'buffer').readUInt32BE(0) % below;
}

/** The body of a success with a change. @returns undefined when the change does not apply to it */
export function changedAnswer(api: ApiDefinition, body: string, name: ChangeName, draw: Draw): string | undefined {
  if (name === 'broken-json') return brokenOff(body);
  return changedJson(body, { shape: shapeOfApi(api), name, circumstances: () => ({ draw }) });
}

/** The JSON of an event with a change. @returns undefined when the change does not apply to it */
export function changedEvent(event: EventDefinition, json: string, name: ChangeName, draw: Draw): string | undefined {
  if (name === 'broken-json') return brokenOff(json);
  const circumstances = (document: unknown): Circumstances => {
    const data = isObject(document) ? document['data'] : undefined;
    const previousState = isObject(data) ? data['previousState'] : undefined;
    return { draw, previousState: typeof previousState === 'string' ? previousState : undefined };
  };
  return changedJson(json, { shape: shapeOfEvent(event), name, circumstances });
}

interface Changing {
  readonly shape: Shape;
  readonly name: ChangeName;
  readonly circumstances: (document: unknown) => Circumstances;
}

function changedJson(json: string, { shape, name, circumstances }: Changing): string | undefined {
  const change = bodyChanges[name];
  if (change === undefined || json.length > LONGEST_CHANGED) return undefined;
  const root = { document: JSON.parse(json) as unknown };
  const spots = spotsOf(root, shape).filter(change.fits);
  const isChanged = spots.length > 0 && change.apply(spots, circumstances(root.document));
  return isChanged ? JSON.stringify(root.document) : undefined;
}

/** No JSON ends in its middle: an object or a list lacks its end. */
const brokenOff = (json: string): string | undefined => (/^[[{]/.test(json) ? json.slice(0, json.length >> 1) : undefined);
