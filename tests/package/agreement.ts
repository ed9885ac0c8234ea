/**
 * A program that compiles only if the declarations of the package agree with the catalog. For some texts of the catalog
 * the package declares the names of applications, which the gateway accepts.
 */
export const agreement = (project: string): string => `
import type * as Own from '${project}rehearsal/call-types.ts';
import type * as Packed from "./node_modules/unified-commerce-estate/types/rehearsal/call-types.d.ts";

type NamesAnApplication = 'list-fault-presets' | 'list-faults' | 'put-fault' | 'list-traces';
type Fits<A, B> = [A] extends [B] ? true : false;
type Same<A, B> = Fits<A, B> extends true ? Fits<B, A> : false;
type Agree<Id, A, B> = Id extends NamesAnApplication ? Fits<B, A> : Same<A, B>;

type Apis = { [Id in Own.TypedApiId]: Same<Own.ApiInput<Id>, Packed.ApiInput<Id>> & Same<Own.ApiOutput<Id>, Packed.ApiOutput<Id>> };
type Operations = {
  [Id in Own.CalledId]: Agree<Id, Own.OperationInput<Id>, Packed.OperationInput<Id>> &
    Agree<Id, Own.OperationOutput<Id>, Packed.OperationOutput<Id>>;
};
type Streams = {
  [Id in Own.StreamId]: Same<Own.StreamInput<Id>, Packed.StreamInput<Id>> & Same<Own.StreamFrame<Id>, Packed.StreamFrame<Id>>;
};
type Objects = { [Type in Own.ObjectType]: Same<Own.BusinessObject<Type>, Packed.BusinessObject<Type>> };
type Events = { [Name in Own.EventName]: Same<Own.EventObject<Name>, Packed.EventObject<Name>> };

declare const apis: Apis;
declare const operations: Operations;
declare const streams: Streams;
declare const objects: Objects;
declare const events: Events;
export const agreed: Record<Packed.TypedApiId, true> = apis;
export const agreedToo: Record<Packed.CalledId, true> = operations;
export const agreedAsWell: Record<Packed.StreamId, true> = streams;
export const agreedObjects: Record<Packed.ObjectType, true> = objects;
export const agreedEvents: Record<Packed.EventName, true> = events;
`;
