import { type ApiDefinition, isMutating, servesAddition } from '../../catalog/define.ts';
import {
  commonProblems,
  type FieldError,
  Problem,
  type ProblemCode,
  type ProblemContext,
  problems,
  retryableAtTimes,
} from '../../catalog/problems.ts';
import { refuseSecrets } from '../../contract/secrets.ts';
import { openMembers, parseBody, refuseNotText } from '../../contract/validation.ts';
import { CENSOR } from '../../domain/censor.ts';
import { exceededLimit, JSON_KINDS, JSON_LEVELS, JSON_MEMBERS } from '../../domain/json-limits.ts';
import { inOneLine } from '../../domain/printable.ts';
import { redactedStart, redactValue, startOfValue } from '../../domain/redaction.ts';
import { jsonIn, problemIn } from '../../transport/answer.ts';
import type { NoReply, OutsideReply } from './outside-call.ts';

/** Rules that the answer of a real system can break. */
export const violationNames = [
  'unreachable',
  'late',
  'broken_off',
  'too_large',
  'server_error',
  'credential_refused',
  'unexpected_status',
  'not_json',
  'wrong_shape',
  'secret',
  'unreachable_state',
  'other_object',
  'changed_fact',
  'money',
  'no_effect',
  'not_kept',
] as const;
type ViolationName = (typeof violationNames)[number];

/** A problem that the real system caused, with the rule that it broke. */
export class Violation extends Problem {
  readonly violation: ViolationName;
  constructor(violation: ViolationName, code: ProblemCode, detail: string, context: ProblemContext) {
    super(code, detail, { ...context, outside: true });
    this.violation = violation;
  }
}

/** The call that a real system answered, or a report of it. */
export type Called = Pick<ApiDefinition, 'id' | 'application'>;

/** 502 for an answer that the estate cannot accept. Whether the call had an effect is unknown. */
export const unacceptable = (
  violation: ViolationName,
  { application }: Called,
  detail: string,
  errors?: readonly FieldError[],
): Violation =>
  new Violation(violation, 'dependency_error', `The real ${application} ${detail}`, {
    dependency: application,
    violation,
    errors,
    undecided: true,
  });

/** 502 for a call without a kept answer. Nothing was called, and a repeat finds nothing either. */
export const notKept = ({ id, application }: Called, nearest: string): Violation =>
  new Violation('not_kept', 'dependency_error', `The real ${application} has no kept answer to this call of ${id}. ${nearest}`, {
    dependency: application,
    violation: 'not_kept',
    retryable: false,
  });

/** The problem of a call without a reply. */
export function withoutReply({ application }: Called, { why, message }: NoReply): Problem {
  const detail = `The real ${application} gave no answer: ${message}.`;
  const about = { dependency: application };
  if (why === 'busy') return new Problem('dependency_unavailable', detail, { ...about, outside: true, retryAfter: 1 });
  const context = { ...about, violation: why };
  if (why === 'unreachable') return new Violation(why, 'dependency_unavailable', detail, { ...context, retryAfter: 1 });
  if (why === 'late') return new Violation(why, 'dependency_timeout', detail, context);
  return new Violation(why, 'dependency_error', detail, { ...context, undecided: true });
}

/** Seconds, when the real system limits the rate and names no time. */
const RATE_LIMIT_S = 5;
/** Characters of a foreign text in a problem. */
const TEXT_CHARACTERS = 500;

/**
 * The output in the reply of a real system.
 * @throws Problem for a refusal, Violation for an answer that breaks the contract
 */
export function readAnswer(api: ApiDefinition, { status, body, retryAfter }: OutsideReply): unknown {
  const isText = api.produces === 'application/json' || status >= 300;
  const exceeded = isText ? excessOf(body.toString()) : undefined;
  if (exceeded !== undefined) throw unacceptable('wrong_shape', api, `answered ${status} with JSON of more than ${exceeded}.`);
  if (status >= 300) throw refusalIn(api, status, body.toString(), retryAfter);
  if (api.produces !== 'application/json') return body.toString('base64');
  const text = body.toString();
  const value = jsonIn(text);
  if (value === undefined && text !== '') {
    throw unacceptable('not_json', api, `answered ${status} with a body that is not JSON: ${startOf(redactedStart(text))}`);
  }
  if ((value ?? null) === null && !api.response.safeParse(null).success) {
    const detail = `${api.id} answers ${api.status} with JSON: send the members of its answer.`;
    throw unacceptable('wrong_shape', api, `answered ${status} ${text === '' ? 'without a body' : 'with null'}. ${detail}`, [
      { pointer: '', code: 'invalid_type', detail },
    ]);
  }
  const parsed = openMembers(api.response, value ?? null);
  if (parsed.success) {
    refuseUnsafe(api, parsed.data);
    return parsed.data;
  }
  // Unknown members are ignored.
  const errors = mistakesIn(() => parseBody(api.response, value ?? null)).filter(({ code }) => code !== 'unknown_member');
  const [first] = errors;
  throw unacceptable(
    'wrong_shape',
    api,
    `answered ${status} with a body that does not fit ${api.id}: ${first?.pointer || 'the body'}: ${first?.detail}`,
    errors,
  );
}

/** The system has sent the header itself. The estate has replaced it before it reads the answer. */
const HEADER_OF_SWAP = `This has the value of a header of the swap, which the estate never stores and shows as ${CENSOR}. Leave it out.`;

/** Values of the answer of a real system. Each of them is checked several times. */
const VALUES = 20_000;

const LIMITS = { levels: JSON_LEVELS, named: JSON_MEMBERS, values: VALUES, kinds: JSON_KINDS };

/** The parser refuses any other text at its first characters, or reads a single value. */
const HOLDER = /^\s*[[{]/;

/**
 * Deeper JSON could overflow the stack, and more values or members would block the process. A list may be long: a real system may have
 * more objects than the estate.
 * @returns the exceeded limit in words
 */
function excessOf(text: string): string | undefined {
  const exceeded = HOLDER.test(text) ? exceededLimit(text, LIMITS) : undefined;
  if (exceeded === undefined) return undefined;
  const words = {
    levels: `${JSON_LEVELS} levels`,
    values: `${VALUES.toLocaleString('en')} values`,
    kinds: `${JSON_KINDS.toLocaleString('en')} different names or sequences of members`,
  };
  return exceeded in words ? words[exceeded as keyof typeof words] : `${JSON_MEMBERS.toLocaleString('en')} members in one object`;
}

/** The JSON that a real system sent. @returns undefined also for JSON beyond the limits */
export const outsideJsonIn = (text: string): unknown => (excessOf(text) === undefined ? jsonIn(text) : undefined);

/** The estate stores an answer and publishes it in events, as the body of a request. @throws Violation `secret` */
export function refuseUnsafe(api: Called, value: unknown): void {
  const errors = mistakesIn(() => {
    refuseNotText(value, 'body');
    refuseSecrets(value);
  }).map((one) => (one.code === 'redacted' ? { ...one, detail: HEADER_OF_SWAP } : one));
  const [first] = errors;
  if (first)
    throw unacceptable('secret', api, `answered with a value that the estate does not store: ${first.pointer}: ${first.detail}`, errors);
}

/** The mistakes that a check finds in a value, in words and with their places. */
function mistakesIn(check: () => void): readonly FieldError[] {
  try {
    check();
  } catch (error) {
    if (error instanceof Problem) return error.context.errors ?? [];
    throw error;
  }
  return [];
}

const startOf = (text: string): string => inOneLine(text, 80);

/** Whether only the control plane makes a call, in the role of the outside world. */
export const isByWorld = (api: ApiDefinition): boolean => api.audience === 'internal' && api.callers.length === 0;

function refusalIn(api: ApiDefinition, status: number, text: string, retryAfter: number | undefined): Problem {
  const { application } = api;
  const body = redactValue(startOfValue(jsonIn(text)));
  const reason = detailIn(body) ?? startOf(redactedStart(text));
  const answered = `answered ${status}${reason === '' ? '' : `: ${reason}`}`;
  // A real system need not offer what only the outside world does, or what serves an addition.
  if ((isByWorld(api) || servesAddition(api)) && [404, 405, 501].includes(status)) {
    const detail = `The real ${application} replaces ours and does not offer ${api.id}: ${isByWorld(api) ? 'make this step at the real system' : 'the journey that needs it is not possible'}.`;
    return new Problem('swapped', detail, { application });
  }
  const sent = problemIn(body, answered);
  if (sent && sent.status === status && mayAnswer(api, sent.code)) return withoutEstateMembers(sent);
  if (status >= 500) return unacceptable('server_error', api, answered);
  if (status === 401 || status === 403 || status === 407) {
    return unacceptable('credential_refused', api, `${answered}. It refuses the headers of the swap.`);
  }
  if (status === 429) {
    return new Problem('dependency_unavailable', `The real ${application} ${answered}`, {
      dependency: application,
      outside: true,
      retryAfter: retryAfter ?? RATE_LIMIT_S,
    });
  }
  const code = codeFor(api, status);
  if (code === undefined) return unacceptable('unexpected_status', api, `${answered}. ${api.id} has no answer with this status.`);
  return new Problem(code, `The real ${application} ${answered}`, { outside: true });
}

const ALWAYS: readonly ProblemCode[] = commonProblems.filter((code) => code !== 'rate_limited');
const OF_KEYS: readonly ProblemCode[] = ['idempotency_in_progress', 'idempotency_key_reused'];

const mayAnswer = (api: ApiDefinition, code: ProblemCode): boolean =>
  !isOfEstate(code) && (api.problems.includes(code) || ALWAYS.includes(code) || (isMutating(api) && OF_KEYS.includes(code)));

/** Codes about connections of the estate, which a real system cannot return. */
const isOfEstate = (code: ProblemCode): boolean => problems[code].status >= 500;

/** The code for an answer without a code of the estate. */
function codeFor(api: ApiDefinition, status: number): ProblemCode | undefined {
  const possible = [...api.problems, ...ALWAYS].filter((code) => problems[code].status === status);
  return possible.find((code) => code === 'invalid_state_transition') ?? possible[0];
}

/** Members that control the retries of the estate are not accepted from outside. */
function withoutEstateMembers({ code, message, context }: Problem): Problem {
  const { dependency: _dependency, undecided: _undecided, retryAfter: _retryAfter, allow: _allow, retryable, ...rest } = context;
  const mayRetry = (retryable === true && retryableAtTimes.has(code)) || undefined;
  return new Problem(code, message, { ...rest, outside: true, retryable: mayRetry });
}

function detailIn(body: unknown): string | undefined {
  const { detail, message, title, error } = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>;
  const text = [detail, message, title, error].find((one) => typeof one === 'string');
  return typeof text === 'string' ? text.slice(0, TEXT_CHARACTERS) : undefined;
}
