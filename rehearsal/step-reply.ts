import type { ApiOutput, ApiRoute, TypedApiId } from './call-types.ts';
import type { Reply } from './estate-client.ts';

/** A call of an API as text: `POST /baskets`, `GET /orders/ord_01M?…`. */
export type CallText = `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`;

/** A refusal, RFC 9457. */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** Machine-readable: `insufficient_stock`. */
  readonly code: string;
  readonly detail: string;
  /** What the problem is about, by its code. */
  readonly [member: string]: unknown;
}

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

/** The response of the API that a call names; unknown when it names none. */
export type ResponseOf<Call> = Call extends `${infer Method} ${infer Path}`
  ? [ReachedId<Method, WithoutQuery<Path>>] extends [never]
    ? unknown
    : ApiOutput<ReachedId<Method, WithoutQuery<Path>>>
  : unknown;

/** What the status decides: the response of the API, or a problem. A status that is known at run time only leaves it open. */
type BodyOf<Call, Status extends number> = number extends Status
  ? unknown
  : `${Status}` extends `${4 | 5}${number}`
    ? ProblemBody
    : ResponseOf<Call>;

/** The reply of a step: its body is the response of the API. */
export interface StepReply<Call, Status extends number = 200> extends Omit<Reply, 'body'> {
  readonly body: BodyOf<Call, Status>;
}
