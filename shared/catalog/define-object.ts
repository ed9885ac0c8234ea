import type { z } from 'zod';
import { type Application, applications, type Domain } from './applications.ts';
import type { LifeCycle } from './life-cycle.ts';

/** A business object. Every committed change of an object has an event on the topic of its domain. */
export interface ObjectDefinition<
  Schema extends z.ZodObject = z.ZodObject,
  State extends string = string,
  Verb extends string = string,
  Type extends string = string,
  Prefix extends string = string,
> {
  /** As the source document spells it: `fulfillment-order`. */
  readonly type: Type;
  /** An id is `<prefix>_<ULID>` and opaque to clients. Undefined for objects that another name identifies: a SKU. */
  readonly idPrefix?: Prefix;
  /** Default of `defineObject`: the domain of the owner. */
  readonly domain: Domain;
  readonly owner: Application;
  readonly meaning: string;
  /** The source document does not list this object. */
  readonly addition?: boolean;
  /** The shape that APIs answer and events carry. The stored object may have more members. */
  readonly schema: Schema;
  /** Undefined for objects without states. */
  readonly lifeCycle?: LifeCycle<State, Verb>;
  /**
   * Templates of a readable name, with members in braces: `{name} ({sku})`. The first template applies whose members all exist in the object.
   * `{lines.sku}` joins the member of each entry of a list.
   */
  readonly label?: readonly string[];
  /** Columns of its list, by heading: templates, as for the label. A column is empty when the object lacks a member. */
  readonly columns?: Readonly<Record<string, string>>;
  /** Further columns, which a page shows on request. */
  readonly moreColumns?: Readonly<Record<string, string>>;
  /**
   * Columns that follow from objects of other applications, each with all its values: how the payment of an order stands. Lists can be
   * filtered by them.
   */
  readonly progress?: Readonly<Record<string, readonly string[]>>;
  /** Further columns that follow from objects of other applications, without a filter. */
  readonly derivedColumns?: readonly string[];
  /** Types of referenced objects, by member, where the name of the member does not give the type: `{ mergedInto: 'basket' }`. */
  readonly references?: Readonly<Record<string, string>>;
  /** Consumers of its additional event `ext.<type>-changed`. */
  readonly changeSubscribers?: readonly Subscription[];
  /** What a consumer of its additional event has to expect, in sentences. */
  readonly changeDetail?: string;
}

export function defineObject<
  const Type extends string,
  const Schema extends z.ZodObject,
  State extends string = never,
  Verb extends string = never,
  const Prefix extends string = never,
>({
  domain,
  ...definition
}: Omit<ObjectDefinition<Schema, State, Verb, Type, Prefix>, 'domain'> & { readonly domain?: Domain }): ObjectDefinition<
  Schema,
  State,
  Verb,
  Type,
  Prefix
> {
  return { domain: domain ?? applications[definition.owner].domain, ...definition };
}

/** An event of the source document, or an addition. The events `ext.<object>-changed` are derived, one per object. */
export interface EventDefinition {
  /** As the source document spells it: `payment-authorized`. */
  readonly name: string;
  /** The source document does not list this event. */
  readonly addition?: boolean;
  readonly classification: 'created' | 'updated' | 'transitioned';
  /** Type of the object that it carries. */
  readonly object: string;
  readonly meaning: string;
  /** What a consumer has to expect, in sentences. */
  readonly detail?: string;
  readonly subscribers?: readonly Subscription[];
}

/** An application that reacts once to each of these events. */
export interface Subscription {
  readonly application: Application;
  readonly purpose: string;
}
