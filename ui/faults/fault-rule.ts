import { type ChangeName, forbiddenChanges, permittedChanges } from '../../shared/catalog/control/drift.ts';
import type { Fault, FaultInput } from '../../shared/catalog/control/faults.ts';

/** The caller outside the applications: the clients. */
export const OUTSIDE = 'outside';

/** Its webhooks need no registration. */
export const CARRIER = 'carrier';

export type FaultKind = Fault['kind'];
export type FaultTargetKind = 'call' | 'event' | 'webhook';

/** A member of a fault, as a field of the form. */
interface FaultMember {
  readonly name: string;
  readonly label: string;
  readonly initial: string;
  readonly isNumber?: true;
  readonly choices?: readonly (readonly [value: string, words: string])[];
  readonly hint?: string;
}

interface KindWords {
  readonly title: string;
  readonly effect: string;
  readonly members: readonly FaultMember[];
}

const DURATION_HINT = 'ISO 8601, on the rehearsal’s clock: PT10M, P1D';

const CHANGE = 'change';

/** The names of changes, with their effects. */
const choicesOf = (changes: Readonly<Record<string, { readonly effect: string }>>): readonly (readonly [string, string])[] =>
  Object.keys(changes).map((name) => [name, name.replaceAll('-', ' ')]);

/** What each kind of fault is called, and what it must know. */
export const FAULT_KINDS: { readonly [Kind in FaultKind]: KindWords } = {
  latency: {
    title: 'Slow',
    effect: 'The answer is late.',
    members: [{ name: 'ms', label: 'Milliseconds', initial: '2000', isNumber: true }],
  },
  status: {
    title: 'Error answer',
    effect: 'Refused with this status before anything is done.',
    members: [
      { name: 'status', label: 'HTTP status', initial: '500', isNumber: true, hint: '400 to 599' },
      { name: 'code', label: 'Problem code', initial: '', hint: 'Optional: dependency_timeout' },
    ],
  },
  outage: { title: 'Down', effect: '503: the application cannot be reached.', members: [] },
  drop: { title: 'Broken connection', effect: 'The connection breaks before anything is done.', members: [] },
  'lost-response': {
    title: 'Lost answer',
    effect: 'The request is answered, but the answer is lost, even a refusal.',
    members: [
      {
        name: 'as',
        label: 'The caller gets',
        initial: 'timeout',
        choices: [
          ['timeout', '504'],
          ['reset', 'a broken connection'],
          ['half', 'half of the body, then a broken connection'],
        ],
      },
    ],
  },
  barrier: {
    title: 'All together',
    effect: 'Requests wait until this many have arrived, and then run together.',
    members: [{ name: 'parties', label: 'Requests', initial: '2', isNumber: true, hint: '2 to 1,000' }],
  },
  'expired-token': {
    title: 'Expired access token',
    effect: '401, as if the access token had expired. All earlier access tokens have expired then; a new one works.',
    members: [],
  },
  duplicate: {
    title: 'Twice or more',
    effect: 'It arrives again, with the same id.',
    members: [{ name: 'copies', label: 'Copies more', initial: '1', isNumber: true, hint: '1 to 20' }],
  },
  late: {
    title: 'Late',
    effect: 'It arrives this much later on the rehearsal’s clock.',
    members: [{ name: 'by', label: 'Late by', initial: 'PT10M', hint: DURATION_HINT }],
  },
  reorder: {
    title: 'Out of order',
    effect: 'It arrives after the next one about the same object.',
    members: [{ name: 'within', label: 'At the latest after', initial: 'P1D', hint: DURATION_HINT }],
  },
  withhold: { title: 'Lost until switched off', effect: 'It arrives when the fault is deleted.', members: [] },
  permitted: {
    title: 'What a minor release may bring',
    effect: 'Clients get it changed as the contract permits. A tolerant client survives it.',
    members: [{ name: CHANGE, label: 'Change', initial: 'unknown-member', choices: choicesOf(permittedChanges) }],
  },
  forbidden: {
    title: 'What no contract permits',
    effect: 'Clients get it wrong. Their tests have to notice it.',
    members: [{ name: CHANGE, label: 'Change', initial: 'previous-state', choices: choicesOf(forbiddenChanges) }],
  },
  'bad-signature': { title: 'Bad signature', effect: 'It is signed with another secret: 401, and it is sent again.', members: [] },
  'stale-timestamp': { title: 'Stale timestamp', effect: 'Its timestamp is six minutes old: 401, and it is sent again.', members: [] },
};

/** The form, as typed. */
export interface FaultForm {
  readonly target: FaultTargetKind;
  readonly kind: FaultKind;
  readonly application: string;
  readonly api: string;
  readonly caller: string;
  readonly event: string;
  readonly subject: string;
  /** Sender: the carrier, or a registered webhook. */
  readonly webhook: string;
  /** Scan of the carrier's webhooks. Other webhooks have none. */
  readonly scan: string;
  readonly members: Readonly<Record<string, string>>;
  readonly times: string;
  readonly skip: string;
  readonly probability: string;
  readonly seed: string;
}

/** The changes that each target can have: by API, application and event, and for registered webhooks. */
export interface PossibleChanges {
  readonly api: Readonly<Record<string, readonly ChangeName[]>>;
  readonly application: Readonly<Record<string, readonly ChangeName[]>>;
  readonly event: Readonly<Record<string, readonly ChangeName[]>>;
  readonly webhook: readonly ChangeName[];
}

/** The form with the fields that its target can have: its kinds, its members, and the choices of its change. */
export function fieldsOf(form: FaultForm, kindsOfTarget: readonly FaultKind[], changes: PossibleChanges) {
  const possible = possibleChanges(form, changes);
  const membersOf = (kind: FaultKind): readonly FaultMember[] =>
    FAULT_KINDS[kind].members.map((member) =>
      member.name === CHANGE ? { ...member, choices: member.choices?.filter(([name]) => possible.has(name)) } : member,
    );
  const kinds = kindsOfTarget.filter((kind) => membersOf(kind).every(({ choices }) => choices?.length !== 0));
  const kind = kinds.includes(form.kind) ? form.kind : (kinds[0] ?? form.kind);
  const members = membersOf(kind).map((member) => {
    const typed = form.members[member.name] ?? member.initial;
    const [first] = member.choices ?? [];
    const isPossible = first === undefined || member.choices?.some(([name]) => name === typed) === true;
    return { ...member, value: isPossible ? typed : first[0] };
  });
  return {
    kinds,
    members,
    effect: effectOf(kind, members.find(({ name }) => name === CHANGE)?.value),
    form: { ...form, kind, members: Object.fromEntries(members.map(({ name, value }) => [name, value])) },
  };
}

function possibleChanges({ target, application, api, event, webhook }: FaultForm, changes: PossibleChanges): ReadonlySet<string> {
  if (target === 'event') return new Set(changes.event[event]);
  if (target === 'webhook') return new Set(webhook === CARRIER ? [] : changes.webhook);
  return new Set(api === '' ? changes.application[application] : changes.api[api]);
}

const effectOf = (kind: FaultKind, change: string | undefined): string => {
  const named: Readonly<Record<string, { readonly effect: string } | undefined>> = { ...permittedChanges, ...forbiddenChanges };
  return [FAULT_KINDS[kind].effect, named[change ?? '']?.effect].filter(Boolean).join(' ');
};

/** The body for put-fault. The gateway validates it, so text that is not a number is sent unchanged. */
export function faultRule({ target, kind, members, times, skip, probability, seed, ...form }: FaultForm): FaultInput {
  const { application, api, caller, event, subject, webhook, scan } = form;
  const match =
    target === 'call'
      ? { ...given('application', application), ...given('api', api), ...given('caller', caller) }
      : target === 'event'
        ? { event, ...given('subject', subject) }
        : { webhook, ...(webhook === CARRIER && given('status', scan)) };
  const fault = FAULT_KINDS[kind].members.map(({ name, initial, isNumber }) => given(name, members[name] ?? initial, isNumber));
  return {
    match,
    fault: Object.assign({ kind }, ...fault),
    ...given('times', times, true),
    ...given('skip', skip, true),
    ...given('probability', probability, true),
    ...given('seed', seed),
  } as FaultInput;
}

function given(name: string, typed: string, isNumber = false): Record<string, string | number> {
  const text = typed.trim();
  if (text === '') return {};
  return { [name]: isNumber && !Number.isNaN(Number(text)) ? Number(text) : text };
}

interface RuleToTell {
  readonly match: FaultInput['match'];
  readonly fault: Readonly<Record<string, unknown>>;
  readonly times?: number;
  readonly skip?: number;
  readonly probability?: number;
}

/** A caller of calls: an application, or the clients. */
export const callerInWords = (caller: string): string => (caller === OUTSIDE ? 'clients' : caller);

/** A rule in one line: `allocate-inventory-api · status, status 503 · once`. */
export function ruleInWords({ match, fault, times, skip, probability }: RuleToTell): string {
  const { application, api, caller, event, subject, webhook, status } = match;
  const target = [
    application,
    api,
    caller && `called by ${callerInWords(caller)}`,
    event && `event ${event}`,
    subject,
    webhook && `webhook ${webhook}`,
    status,
  ]
    .filter(Boolean)
    .join(' ');
  const { kind, ...members } = fault;
  const others = Object.entries(members).map(([name, value]) => `${name} ${String(value)}`);
  const often = [
    skip !== undefined && `after ${skip}`,
    times !== undefined && (times === 1 ? 'once' : `${times} times`),
    probability !== undefined && `with probability ${probability}`,
  ];
  return [target, [String(kind), ...others].join(', '), ...often].filter(Boolean).join(' · ');
}
