import { z } from 'zod';
import type { Method, PathParameter, Section } from '../define.ts';
import type { ProblemCode } from '../problems.ts';

/**
 * An operation of the control plane, under `/_control` at the gateway. Routes, validation, the typed client and the OpenAPI document derive
 * from it. An operation runs in the rehearsal of the header `X-Rehearsal`, and counts as use of the rehearsal. Operations under
 * `/_control/rehearsals`, `/_control/scenarios`, `/_control/runs` and `/_control/diff`, and operations on kept snapshots, run in no
 * rehearsal. An operation never creates the rehearsal that it names: only `create-rehearsal` and the first API call with the name do.
 */
export interface ControlOperation<
  Id extends string = string,
  Path extends string = string,
  Query extends z.ZodObject = z.ZodObject,
  Request extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  readonly id: Id;
  readonly summary: string;
  readonly method: Method;
  readonly path: Path;
  readonly query: Query;
  readonly request: Request;
  readonly response: Response;
  readonly status: 200 | 201 | 202 | 204;
  readonly problems: readonly ProblemCode[];
  readonly plays?: PlayedVerbs;
  /** The limit of the body in bytes, if its schema has no bound. A large body has the limit of a snapshot. */
  readonly body?: number | 'large';
  /**
   * What an operation reaches beyond the rehearsal of its request: the rehearsal `{name}` of its path, or what all rehearsals share, such as
   * kept snapshots and runs. A credential that is bound to a rehearsal does not reach further.
   */
  readonly reach?: 'named rehearsal' | 'estate';
  /** It needs a multiple of the journal in memory: a process runs one such operation at a time. */
  readonly memory?: 'large';
}

/**
 * The moves of a business object that an operation makes. The last segment of its path is the verb, as the life cycle spells it, unless the
 * member `by` of the body chooses the verb.
 */
interface PlayedVerbs {
  readonly object: string;
  readonly verbs: readonly string[];
  readonly by?: string;
}

type Nothing = z.ZodObject<Record<never, never>, z.core.$strict>;
const NO_QUERY: z.ZodObject = z.strictObject({});
const NO_BODY: z.ZodType = z.strictObject({});

export function defineOperation<
  const Id extends string,
  const Path extends `/_control/${string}`,
  Response extends z.ZodType,
  Query extends z.ZodObject = Nothing,
  Request extends z.ZodType = Nothing,
>(
  input: Partial<Pick<ControlOperation, 'method' | 'status' | 'problems' | 'plays' | 'body' | 'reach' | 'memory'>> & {
    readonly id: Id;
    readonly summary: string;
    readonly path: Path;
    readonly query?: Query;
    readonly request?: Request;
    readonly response: Response;
  },
): ControlOperation<Id, Path, Query, Request, Response> {
  return { method: 'GET', query: NO_QUERY as Query, request: NO_BODY as Request, status: 200, problems: [], ...input };
}

/** An operation whose answer is a stream of server-sent events. */
export interface StreamOperation<
  Id extends string = string,
  Path extends string = string,
  Query extends z.ZodObject = z.ZodObject,
  Frames extends Readonly<Record<string, z.ZodType>> = Readonly<Record<string, z.ZodType>>,
> extends ControlOperation<Id, Path, Query, Nothing, z.ZodString> {
  /** The data of each kind of frame. */
  readonly frames: Frames;
}

export function defineStream<
  const Id extends string,
  const Path extends `/_control/${string}`,
  Query extends z.ZodObject,
  Frames extends Readonly<Record<string, z.ZodType>>,
>({
  frames,
  ...input
}: {
  readonly id: Id;
  readonly summary: string;
  readonly path: Path;
  readonly query: Query;
  readonly frames: Frames;
  readonly problems?: readonly ProblemCode[];
}): StreamOperation<Id, Path, Query, Frames> {
  return { ...defineOperation({ ...input, response: z.string() }), frames };
}

export const isStream = (operation: ControlOperation): operation is StreamOperation => 'frames' in operation;

/** A frame as a client receives it. A stream resumes after the frame with its `id`. */
export type FrameOf<O> =
  O extends StreamOperation<string, string, z.ZodObject, infer Frames>
    ? {
        readonly [Kind in keyof Frames & string]: { readonly event: Kind; readonly id: string; readonly data: z.output<Frames[Kind]> };
      }[keyof Frames & string]
    : never;

/** The validated input of an operation. */
export type ControlInput<O> =
  O extends ControlOperation<string, infer Path, infer Query, infer Request, z.ZodType>
    ? { readonly params: Readonly<Record<PathParameter<Path>, string>>; readonly query: z.output<Query>; readonly body: z.output<Request> }
    : never;
/** The input as a client sends it. Parts that may be empty are optional. */
export type ControlCall<O> =
  O extends ControlOperation<string, infer Path, infer Query, infer Request, z.ZodType>
    ? Section<'params', Readonly<Record<PathParameter<Path>, string>>> &
        Section<'query', z.input<Query>> &
        Section<'body', z.input<Request>>
    : never;
export type ControlOutput<O> =
  O extends ControlOperation<string, string, z.ZodObject, z.ZodType, infer Response> ? z.output<Response> : never;
