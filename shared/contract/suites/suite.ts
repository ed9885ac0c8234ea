import type { SwappableApplication } from '../../catalog/swap.ts';
import type { Answer, Bench, Body, Input } from './bench.ts';

/** A rule of a call that no schema expresses. */
export interface Rule {
  /** Id of the call. */
  readonly api: string;
  /** `capture-limit` */
  readonly name: string;
  /** What the system does, without a subject: `never captures more than the authorised amount`. */
  readonly title: string;
  /** The capability without which the rule cannot be checked. */
  readonly needs?: string | undefined;
  /** @throws Deviation when the system breaks the rule */
  readonly run: (bench: Bench) => Promise<void>;
}

/** Declares the rules of a call. @param needs the capability that they need */
export const rulesOf =
  (api: string, needs?: string) =>
  (name: string, title: string, run: Rule['run']): Rule => ({ api, name, title, needs, run });

/** How one call is checked. */
export interface CallPlan {
  /** Prepares a valid call. @returns its input */
  readonly valid: (bench: Bench) => Promise<Input>;
  /** Reads what a call has changed. A repeat with the same key must not change it again. */
  readonly effect?: (bench: Bench, input: Input) => Promise<unknown>;
  readonly needs?: string;
  /** The call succeeds only with an object of the estate, which does not run during the checks: only refusals are checked. */
  readonly onlyRefusals?: true;
}

/** How the life cycle of an object is checked. */
export interface ObjectPlan {
  /** Makes an object in this state. @returns the object */
  readonly reach: Readonly<Record<string, (bench: Bench) => Promise<Body>>>;
  /** The call that carries out each verb, and its input. */
  readonly verbs: Readonly<Record<string, { readonly call: string; readonly input: (object: Body) => Input }>>;
  /** Reads an object again. @returns undefined when the system does not have it */
  readonly read: (bench: Bench, object: Body) => Promise<Body | undefined>;
}

/** The contract of an application, for ours and for the real system that takes its place. */
export interface Suite {
  readonly application: SwappableApplication;
  /** Ids that the system must have before the check, with their meaning and the value in the data of the estate. */
  readonly ids: Readonly<Record<string, { readonly meaning: string; readonly value: string }>>;
  /** What a real system may lack, with its meaning. */
  readonly capabilities: Readonly<Record<string, string>>;
  /** By id of the call. */
  readonly calls: Readonly<Record<string, CallPlan>>;
  readonly rules: readonly Rule[];
  /** By type of the object. */
  readonly objects: Readonly<Record<string, ObjectPlan>>;
  /** Capabilities that scenarios need, by name of the scenario. */
  readonly scenarioNeeds: Readonly<Record<string, readonly string[]>>;
  /** Members that a schema leaves optional and scenarios need, unless the mapping lists them under `notOffered`. @returns those that an answer lacks */
  readonly lackedBy?: (answer: Answer, lacks: ReadonlySet<string>) => readonly string[];
}
