import type { z } from 'zod';
import type { ApiId, apis } from '../shared/catalog/apis.ts';
import type { Application } from '../shared/catalog/applications.ts';
import type { ControlCall, ControlOutput, FrameOf } from '../shared/catalog/control/define-operation.ts';
import type { CalledId as AnyCalledId, StreamId as AnyStreamId, controlOperations } from '../shared/catalog/control/operations.ts';
import type { ApiDefinition, OutputOf, PathParameter } from '../shared/catalog/define.ts';
import type { ListedEvent } from '../shared/catalog/events.ts';
import type { BusinessObject, ObjectType } from '../shared/catalog/objects.ts';

/*
 * What the client's calls take and answer, as the catalog declares it. The package has these types written out
 * (package/call-types.ts), so that its users' compilers need not derive them.
 */

type Section<Name extends string, T> = Record<never, never> extends T ? { readonly [K in Name]?: T } : { readonly [K in Name]: T };
/** Input of an external caller. Sections without required members are optional. */
type Asked<A> =
  A extends ApiDefinition<string, Application, infer Path, infer Query, infer Body, z.ZodType, z.ZodType>
    ? Section<'params', Readonly<Record<PathParameter<Path>, string>>> &
        Section<'query', z.input<Query>> &
        Section<'body', z.input<Body>> & { readonly headers?: Readonly<Record<string, string>> }
    : never;
type Operations = typeof controlOperations;

/** APIs with JSON requests and answers and a credential. Excludes the signed carrier webhook, the label document and the QR code. */
export type TypedApiId = Exclude<ApiId, 'carrier-webhook' | 'label-document' | 'collection-code'>;
export type ApiInput<Id extends TypedApiId> = Asked<(typeof apis)[Id]>;
export type ApiOutput<Id extends TypedApiId> = OutputOf<(typeof apis)[Id]>;
/** `POST /orders/{id}/confirm` */
export type ApiRoute<Id extends TypedApiId> = `${(typeof apis)[Id]['method']} ${(typeof apis)[Id]['path']}`;

/** Operations of the control plane with one answer. */
export type CalledId = AnyCalledId;
export type OperationInput<Id extends CalledId> = ControlCall<Operations[Id]>;
export type OperationOutput<Id extends CalledId> = ControlOutput<Operations[Id]>;

/** Operations of the control plane whose answer is a stream. */
export type StreamId = AnyStreamId;
export type StreamInput<Id extends StreamId> = ControlCall<Operations[Id]>;
export type StreamFrame<Id extends StreamId> = FrameOf<Operations[Id]>;

export type { BusinessObject, ObjectType };

/** Types with an additional event, for changes without an event in the source document. */
type ChangingType = { [Type in ObjectType]: BusinessObject<Type> extends { readonly version: number } ? Type : never }[ObjectType];
/** The name of an event without its prefix: `order-confirmed`, `ext.order-changed`. */
export type EventName = ListedEvent['name'] | `ext.${ChangingType}-changed`;
/** The object that an event carries. */
export type EventObject<Name extends EventName> = Name extends `ext.${infer Type extends ObjectType}-changed`
  ? BusinessObject<Type>
  : BusinessObject<Extract<ListedEvent, { readonly name: Name }>['object']>;
