import { type Owner, topicOf } from '../catalog/applications.ts';
import type { ObjectDefinition } from '../catalog/define-object.ts';
import { sourceOf, TYPE_PREFIX } from '../catalog/event-names.ts';
import { classificationOf, subscribersOf } from '../catalog/subscriptions.ts';
import { declaredMembersOnce } from '../contract/validation.ts';
import type { Context } from '../control/context.ts';
import { withOwnDocuments } from '../control/world-addresses.ts';
import { derivedUlid, digest } from '../domain/ids.ts';
import { instant } from '../domain/time.ts';
import { idSource, rehearsalOf } from '../domain/world.ts';
import type { Stored } from '../store/collections.ts';
import type { PlannedEvent } from '../store/ports/plan.ts';

/** An event on the bus: CloudEvents 1.0 in structured JSON. */
export interface EstateEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly datacontenttype: 'application/json';
  readonly dataschema: string;
  /** The object's id. Order is kept per object only. */
  readonly partitionkey: string;
  /** The object's version after the change: 1..n without a gap. */
  readonly aggregateversion: number;
  readonly rehearsal: string;
  readonly world: string;
  readonly correlationid: string;
  /** Id of the request or event that caused it. */
  readonly causationid: string;
  /** W3C Trace Context of the cause (CloudEvents extension), while tracing is on. */
  readonly traceparent?: string;
  readonly classification: 'created' | 'updated' | 'transitioned';
  readonly data: { readonly object: Readonly<Record<string, unknown>>; readonly previousState?: string };
}

export interface EnvelopeInput {
  readonly application: Owner;
  readonly definition: ObjectDefinition;
  /** The type, without prefix. */
  readonly type: string;
  readonly object: Stored;
  readonly previousState: string | undefined;
  readonly context: Context;
  /** Id of the request or event that causes the event. */
  readonly causation: string;
  /** Request id of the hop. */
  readonly hopId: string;
}

/**
 * Wraps a changed object. The id derives from world or seed, type, object and version. Each version is committed once, so the id is unique,
 * and a rerun that commits the same change produces the same event. Members outside the published schema are left out.
 */
export function envelope(input: EnvelopeInput): PlannedEvent {
  const { application, definition, type, object, previousState, context, causation, hopId } = input;
  const id = `evt_${derivedUlid(digest(idSource(context), type, definition.type, object.id, String(object.version)), context.now)}`;
  // The page of a payment ends with its first change, so later events need no address of it.
  const published = withOwnDocuments(publishedMembers(definition, object), context.world);
  const event: EstateEvent = {
    specversion: '1.0',
    id,
    source: sourceOf(application),
    type: `${TYPE_PREFIX}${type}`,
    subject: `${definition.type}/${object.id}`,
    time: instant(context.now),
    datacontenttype: 'application/json',
    dataschema: `urn:uc:schema:${type}:1`,
    partitionkey: object.id,
    aggregateversion: object.version,
    rehearsal: rehearsalOf(context.world),
    world: context.world,
    correlationid: context.correlationId,
    causationid: causation,
    traceparent: context.traceparent,
    classification: classificationOf(type, {
      isNew: object.version === 1,
      changesState: previousState !== undefined && previousState !== published['state'],
    }),
    data: { object: published, previousState },
  };
  return {
    id,
    topic: topicOf(definition.domain),
    key: object.id,
    json: JSON.stringify(event),
    subscribers: subscribersOf(type),
    committedAt: Date.now(),
    hop: hopId,
  };
}

function publishedMembers({ schema }: ObjectDefinition, object: Stored): Readonly<Record<string, unknown>> {
  const { data, error } = declaredMembersOnce(schema, object);
  if (error) throw error;
  return data;
}
