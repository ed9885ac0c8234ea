import type { ApiOutput, ApiRoute, TypedApiId } from './call-types.ts';

/** An answer of the estate, or a refusal. `ok` distinguishes them. */
export type Reply<Body = unknown> = Answer<Body> | Refusal;

/** An answer with a status from 200 to 299. */
export interface Answer<Body = unknown> {
  readonly ok: true;
  readonly status: number;
  readonly body: Body;
  readonly headers: ReplyHeaders;
}

/** An answer with any other status. */
export interface Refusal {
  readonly ok: false;
  readonly status: number;
  readonly body: ProblemBody;
  readonly headers: ReplyHeaders;
}

/** The answer to a dry run that nothing has refused. */
export interface DryRun<Body = unknown> {
  readonly possible: true;
  /** Status of the answer that would follow. It is absent, like `answer`, when the application cannot compute it. */
  readonly status?: number;
  readonly answer?: Body;
  /** Instead of the answer: members of it that are certain. */
  readonly foreseen?: Partial<Body>;
  /** The call would change nothing. */
  readonly unchanged?: true;
}

/** The body of a call, which may be a dry run. */
export type Tried<Body, Dry> = Dry extends true ? DryRun<Body> : Body;

type ReplyHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A refusal, RFC 9457. */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** Machine-readable: `insufficient_stock`. */
  readonly code: string;
  readonly detail: string;
  /** Further members of the problem. They depend on its code. */
  readonly [member: string]: unknown;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** A call of an API as text: `POST /baskets`, `GET /orders/ord_01M?…`. */
export type CallText = `${Method} /${string}`;

/** Whether the query of a path requests a dry run. */
type IsDry<Path> = Path extends `${string}?${string}dryRun=true${string}` ? true : false;
type WithoutQuery<Path extends string> = Path extends `${infer Before}?${string}` ? Before : Path;
type Segments<Path extends string> = Path extends `${infer Segment}/${infer Rest}` ? [Segment, ...Segments<Rest>] : [Path];
/** A parameter takes any text. */
type OpenSegments<Path extends string> = Path extends `${infer Segment}/${infer Rest}`
  ? [Open<Segment>, ...OpenSegments<Rest>]
  : [Open<Path>];
type Open<Segment extends string> = Segment extends `{${string}}` ? string : Segment;

/** Whether a call reaches an API. */
type Reaches<Method, Path extends string, Route> = Route extends `${infer RouteMethod} ${infer RoutePath}`
  ? [Method, ...Segments<Path>] extends [RouteMethod, ...OpenSegments<RoutePath>]
    ? true
    : false
  : false;
type ReachedId<Method, Path extends string> = {
  [Id in TypedApiId]: true extends Reaches<Method, Path, ApiRoute<Id>> ? Id : never;
}[TypedApiId];

/** The response of the API that a call matches; unknown when it matches none. */
export type ResponseOf<Call> = Call extends `${infer Method} ${infer Path}`
  ? [ReachedId<Method, WithoutQuery<Path>>] extends [never]
    ? unknown
    : Tried<ApiOutput<ReachedId<Method, WithoutQuery<Path>>>, IsDry<Path>>
  : unknown;

/** The reply of a step. The expected status determines its type, if it is known at compile time. */
export type StepReply<Call, Status extends number = 200> = number extends Status
  ? Reply<ResponseOf<Call>>
  : `${Status}` extends `${4 | 5}${number}`
    ? Refusal
    : Answer<ResponseOf<Call>>;
