import { shortened } from '../domain/text.ts';
import { type Application, applicationNames } from './applications.ts';

/**
 * All refusals of the estate: code, HTTP status and title (RFC 9457). `retryable`: the same request may succeed later. Single refusals with
 * other codes may be retryable, too: see `retryableAtTimes`.
 */
export const problems = {
  malformed_request: { status: 400, title: 'Malformed request', retryable: false },
  unauthenticated: { status: 401, title: 'Unauthenticated', retryable: false },
  payment_declined: { status: 402, title: 'Payment declined', retryable: false },
  forbidden: { status: 403, title: 'Forbidden', retryable: false },
  wrong_code: { status: 403, title: 'Wrong code', retryable: false },
  outbound_refused: { status: 403, title: 'Outbound address refused', retryable: false },
  not_found: { status: 404, title: 'Not found', retryable: false },
  unknown_rehearsal: { status: 404, title: 'Unknown rehearsal', retryable: false },
  method_not_allowed: { status: 405, title: 'Method not allowed', retryable: false },
  request_timeout: { status: 408, title: 'Request timeout', retryable: true },
  invalid_state_transition: { status: 409, title: 'Invalid state transition', retryable: false },
  insufficient_stock: { status: 409, title: 'Insufficient stock', retryable: false },
  reservation_expired: { status: 409, title: 'Reservation expired', retryable: false },
  order_not_closed: { status: 409, title: 'Order not closed', retryable: false },
  return_quantity_exceeded: { status: 409, title: 'Return quantity exceeded', retryable: false },
  replacement_quantity_exceeded: { status: 409, title: 'Replacement quantity exceeded', retryable: false },
  already_enrolled: { status: 409, title: 'Already enrolled', retryable: false },
  duplicate_customer: { status: 409, title: 'Duplicate customer', retryable: false },
  capture_exceeds_authorized: { status: 409, title: 'Capture exceeds authorized amount', retryable: false },
  refund_exceeds_captured: { status: 409, title: 'Refund exceeds captured amount', retryable: false },
  insufficient_points: { status: 409, title: 'Insufficient points', retryable: false },
  redemption_not_applicable: { status: 409, title: 'Redemption not applicable', retryable: false },
  payment_incomplete: { status: 409, title: 'Payment incomplete', retryable: false },
  overpayment: { status: 409, title: 'Overpayment', retryable: false },
  basket_empty: { status: 409, title: 'Basket empty', retryable: false },
  customer_blocked: { status: 409, title: 'Customer blocked', retryable: false },
  limit_reached: { status: 409, title: 'Limit reached', retryable: false },
  conflicting_repeat: { status: 409, title: 'Conflicting repeat', retryable: false },
  idempotency_in_progress: { status: 409, title: 'Idempotent request in progress', retryable: true },
  not_at_rest: { status: 409, title: 'Rehearsal not at rest', retryable: true },
  clock_busy: { status: 409, title: 'Clock busy', retryable: true },
  too_many_faults: { status: 409, title: 'Too many faults', retryable: false },
  too_many_webhooks: { status: 409, title: 'Too many webhooks', retryable: false },
  delivery_not_possible: { status: 409, title: 'Delivery not possible', retryable: false },
  not_recordable: { status: 409, title: 'Not recordable', retryable: false },
  swapped: { status: 409, title: 'Application swapped', retryable: false },
  not_swapped: { status: 409, title: 'Application not swapped', retryable: false },
  too_many_snapshots: { status: 409, title: 'Too many snapshots', retryable: false },
  rehearsal_exists: { status: 409, title: 'Rehearsal exists', retryable: false },
  incompatible_world: { status: 409, title: 'World of another release', retryable: false },
  version_mismatch: { status: 412, title: 'Version mismatch', retryable: false },
  payload_too_large: { status: 413, title: 'Payload too large', retryable: false },
  unsupported_media_type: { status: 415, title: 'Unsupported media type', retryable: false },
  misdirected_request: { status: 421, title: 'Misdirected request', retryable: false },
  validation_failed: { status: 422, title: 'Validation failed', retryable: false },
  idempotency_key_reused: { status: 422, title: 'Idempotency key reused', retryable: false },
  rate_limited: { status: 429, title: 'Rate limited', retryable: true },
  too_many_rehearsals: { status: 429, title: 'Too many rehearsals', retryable: true },
  headers_too_large: { status: 431, title: 'Request headers too large', retryable: false },
  internal_error: { status: 500, title: 'Internal error', retryable: false },
  dependency_error: { status: 502, title: 'Dependency error', retryable: true },
  dependency_unavailable: { status: 503, title: 'Dependency unavailable', retryable: true },
  too_many_streams: { status: 503, title: 'Too many streams', retryable: true },
  store_full: { status: 503, title: 'Store full', retryable: true },
  contention: { status: 503, title: 'Contention', retryable: true },
  dependency_timeout: { status: 504, title: 'Dependency timeout', retryable: true },
  rehearsal_full: { status: 507, title: 'Rehearsal full', retryable: false },
} as const satisfies Record<string, { status: number; title: string; retryable: boolean }>;

export type ProblemCode = keyof typeof problems;

/** Codes whose refusals have `retryable: true` while another action on the object is in progress that decides the outcome. */
export const retryableAtTimes: ReadonlySet<ProblemCode> = new Set([
  'invalid_state_transition',
  'order_not_closed',
  'return_quantity_exceeded',
  'reservation_expired',
  'conflicting_repeat',
  'payment_incomplete',
  'overpayment',
]);

/** The member `type`. It is relative, because the client may reach the gateway under any name. The gateway serves this path. */
export const problemType = (code: ProblemCode): string => `/problems/${code}`;

/** Problems that every API may answer in addition to its own. */
export const commonProblems = [
  'malformed_request',
  'validation_failed',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limited',
] as const;

/** Problems of an API that calls other applications. */
export const dependencyProblems = ['dependency_unavailable', 'dependency_timeout', 'dependency_error'] as const;

/** An item of `errors`. The pointer is a JSON pointer into the body, `?query`, `{path}`, or the name of a header. */
export interface FieldError {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

/** Maximum number of errors that a problem lists. It counts the others. */
export const MOST_ERRORS = 20;
/** Mistakes that a check finds in one value. A body has room for 100,000, and describing them all would take a second. */
export const MOST_MISTAKES = 1_000;

/** Characters of an id in a sentence. */
const LONGEST_QUOTED = 100;

/** Seconds, for refusals without a better value. */
const RETRY_AFTER_S = 1;

/** Context of a problem: its object, and the members of its code. */
export interface ProblemContext {
  readonly objectType?: string;
  readonly id?: string;
  readonly errors?: readonly FieldError[];
  /** Number of errors that `errors` leaves out, within `MOST_MISTAKES`. */
  readonly errorsOmitted?: number;
  readonly retryable?: boolean;
  /** Seconds; becomes the header `Retry-After`. Every retryable refusal has one. */
  readonly retryAfter?: number;
  /** Set for a `dependency_error` when the connection broke, or the answer has no code of the estate. The other application may be down. */
  readonly undecided?: true;
  /** Set for a `dependency_*` problem when the failed dependency is the real system of the retailer. */
  readonly outside?: true;
  /** Methods; becomes the header `Allow`. */
  readonly allow?: readonly string[];
  readonly [member: string]: unknown;
}

/** Characters of a text in a refusal, which may repeat a part of the request. */
const LONGEST_DETAIL = 4_000;

const isShort = ({ errors, ...members }: ProblemContext): boolean =>
  (errors?.every(({ pointer, detail }) => pointer.length <= LONGEST_DETAIL && detail.length <= LONGEST_DETAIL) ?? true) &&
  Object.values(members).every((value) => typeof value !== 'string' || value.length <= LONGEST_DETAIL);

function inBounds({ errors, ...members }: ProblemContext): ProblemContext {
  const texts = Object.entries(members).map(([name, value]) => [
    name,
    typeof value === 'string' ? shortened(value, LONGEST_DETAIL) : value,
  ]);
  const cut = ({ pointer, code, detail }: FieldError): FieldError => ({
    pointer: shortened(pointer, LONGEST_DETAIL),
    code,
    detail: shortened(detail, LONGEST_DETAIL),
  });
  return { ...Object.fromEntries(texts), errors: errors?.map(cut) };
}

/** A refusal with a code of the table. A handler throws it to discard its changes, or returns it to keep them: a declined payment. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly context: ProblemContext;

  constructor(code: ProblemCode, detail: string, context: ProblemContext = {}) {
    super(shortened(detail, LONGEST_DETAIL));
    this.code = code;
    this.context = isShort(context) ? context : inBounds(context);
  }

  get status(): number {
    return problems[this.code].status;
  }

  get retryable(): boolean {
    return this.context.retryable ?? problems[this.code].retryable;
  }

  /** Seconds until a retry makes sense. Undefined if the refusal is not retryable. */
  get retryAfter(): number | undefined {
    return this.context.retryAfter ?? (this.retryable ? RETRY_AFTER_S : undefined);
  }

  /** The RFC 9457 body. @param instance path of the refused request */
  body(instance: string): Record<string, unknown> {
    const { retryAfter: _retryAfter, allow: _allow, ...context } = this.context;
    return { ...this.#essentials(instance), ...context, retryable: this.retryable };
  }

  /** The body as JSON. Context that cannot be serialised is left out, so that a refusal never fails. */
  json(instance: string): string {
    try {
      return JSON.stringify(this.body(instance));
    } catch {
      return JSON.stringify({ ...this.#essentials(instance), retryable: problems[this.code].retryable });
    }
  }

  #essentials(instance: string): Record<string, unknown> {
    return {
      type: problemType(this.code),
      title: problems[this.code].title,
      status: this.status,
      detail: this.message,
      instance,
      code: this.code,
    };
  }
}

/** 404 for an object that a request names and that does not exist. */
export function notFound(objectType: string, id: string): Problem {
  return new Problem('not_found', `The ${objectType} "${shortened(id, LONGEST_QUOTED)}" does not exist.`, { objectType, id });
}

/** Whether an error is a problem with one of these codes. */
export const isProblem = (error: unknown, ...codes: readonly ProblemCode[]): error is Problem =>
  error instanceof Problem && codes.includes(error.code);

/** For `catch`: undefined in place of a problem with this code. @throws every other error */
export const undefinedIf =
  (code: ProblemCode) =>
  (error: unknown): undefined => {
    if (!isProblem(error, code)) throw error;
  };

/** For `catch`: a problem as a result. @throws every other error */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  throw error;
}

/** 422 for one member of a body. @param pointer JSON pointer into the body */
export function invalid(pointer: string, code: string, detail: string): Problem {
  return new Problem('validation_failed', detail, { errors: [{ pointer, code, detail }] });
}

/** 409 for a repeat of a verb with other values. @param standing the values in effect, by the name of the conflicting member */
export function conflictingRepeat(detail: string, standing: Readonly<Record<string, unknown>>, about: ProblemContext): Problem {
  return new Problem('conflicting_repeat', detail, { ...about, standing });
}

/** Whether the outcome at the called application is unknown. */
export const isUnknownOutcome = (error: unknown): boolean => isProblem(error, 'dependency_timeout', 'dependency_error');

/** Whether the called application certainly did nothing: it could not be reached, or concurrent requests won. */
export const didNothing = (error: unknown): boolean => isProblem(error, 'dependency_unavailable', 'contention');

/** The application that was away when a call failed: unreachable, silent or undecided. Undefined otherwise: a retry is refused again. */
export function absentApplication(error: unknown): Application | undefined {
  if (!(error instanceof Problem)) return undefined;
  const { dependency, undecided } = error.context;
  const { code } = error;
  const isUnavailable =
    code === 'dependency_unavailable' || code === 'dependency_timeout' || (code === 'dependency_error' && undecided === true);
  return isUnavailable ? applicationNames.find((name) => name === dependency) : undefined;
}

/** Whether a call failed because of the called application, not because of the request. */
export const isDependencyProblem = (error: unknown): error is Problem => isUnknownOutcome(error) || didNothing(error);
