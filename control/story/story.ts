import type { z } from 'zod';
import { allEvents } from '../../shared/catalog/events.ts';
import { objects } from '../../shared/catalog/objects.ts';
import { durationMs, lengthInWords } from '../../shared/domain/duration.ts';
import type { ClientCall } from './deeds.ts';
import type { Expectation } from './expectations.ts';
import { type Code, callCode, listCode, numberCode, objectCode, quoted, statement, template } from './layout.ts';
import { createNames, inWords, nounOf, singular } from './names.ts';
import { advancedBy, type ExpectedEvent, keyOf, type Part, type PlannedCall, type PlannedEvent, planOf } from './plan.ts';
import type { OperationRecord } from './record-operation.ts';
import { incomplete, type Recording } from './recording.ts';
import { isMoney, isRecord, memberCode, type Path, type Reference, type Source } from './references.ts';
import type { Value } from './values.ts';

/** Indent of the statements of a scenario. */
const INDENT = 4;
/** Names that a story uses for other things. */
const TAKEN = ['stage', 'fromNow', 'statesOf', 'euros', 'dollars', 'pounds', 'yen', 'money'];
const CURRENCIES: Readonly<Record<string, string>> = { EUR: 'euros', USD: 'dollars', GBP: 'pounds', JPY: 'yen' };

/** The scenario that repeats a recording, as a file of TypeScript. @throws Problem not_recordable when nothing happened */
export function storyOf(recording: Recording): string {
  const { parts, used } = planOf(recording);
  const uses = countObjects(parts);
  if (parts.length === 0) throw incomplete('Nothing has happened in this rehearsal yet.', 'Call an API or the control plane in it first.');
  const writer = createWriter(used, uses);
  const lines = parts.flatMap((part, place) => writer.part(part, parts.slice(0, place), parts.slice(place + 1)));
  const { rehearsal } = recording;
  return `${[
    `import type { Scenario } from 'unified-commerce-estate';`,
    '',
    ...writer.constants(),
    'export const recorded: Scenario = {',
    `  name: ${quoted(`recorded-${rehearsal}`)},`,
    `  title: ${quoted(`What happened in the rehearsal ${rehearsal}`)},`,
    '  async run(stage) {',
    ...writer.locals(),
    ...lines,
    '  },',
    '};',
  ].join('\n')}\n`;
}

/** The variable that holds the answer or the object of a source. */
interface Bound {
  readonly name: string;
  /** `body` for an answer. */
  readonly before: Path;
  readonly schema: z.ZodType;
  /** The recorded answer or object. */
  readonly value: unknown;
}

function createWriter(used: ReadonlyMap<string, readonly Reference[]>, uses: ReadonlyMap<string, number>) {
  const nameFor = createNames(TAKEN);
  const constantFor = createNames(TAKEN);
  const bound = new Map<string, Bound>();
  /** Constants for members of answers, by their source and path. */
  const hoisted = new Map<string, string>();
  const literals = new Map<string, { readonly name: string; readonly code: string }>();
  const seen = new Set<string>();
  const helpers = new Set<string>();

  const put = (before: string, code: Code): string => statement(before, code, INDENT);

  function referenceCode({ source, path }: Reference, isText = false): string {
    const name = hoisted.get(`${keyOf(source)} ${path.join('.')}`);
    if (name !== undefined) return name;
    const from = bound.get(keyOf(source));
    if (!from) return quoted(path.join('.'));
    const { code, mayBeMissing } = memberOf(from, path);
    return isText && mayBeMissing ? `${code} ?? ''` : code;
  }

  const textCode = (parts: readonly (string | Reference)[]): string =>
    template(parts.map((part) => (typeof part === 'string' ? part : { code: referenceCode(part) })));

  function codeOf(value: Value, name?: string): Code {
    switch (value.is) {
      case 'literal':
        return literalCode(value.value);
      case 'money':
        return moneyCode(value.money, helpers);
      case 'instant':
        helpers.add('fromNow');
        return `fromNow(${numberCode(value.seconds)})`;
      case 'reference':
        return referenceCode(value.reference);
      case 'text':
        return textCode(value.parts);
      case 'list':
        return listCode(value.items.map((item) => codeOf(item)));
      case 'object':
        return constantCode(value, name) ?? objectCode(value.members.map(([member, inner]) => [member, codeOf(inner, member)]));
    }
  }

  /** Addresses, and tenders that several requests have, are constants. */
  function constantCode(value: Extract<Value, { is: 'object' }>, name: string | undefined): string | undefined {
    const title = name === undefined ? undefined : constantName(name, value, uses.get(JSON.stringify(value)) ?? 0);
    if (title === undefined || !value.members.every(([, member]) => member.is === 'literal')) return undefined;
    const code = objectCode(value.members.map(([member, inner]) => [member, codeOf(inner)]));
    const key = JSON.stringify(code);
    const known = literals.get(key);
    if (known) return known.name;
    const constant = constantFor(title)
      .replaceAll(/[A-Z]/g, (letter) => `_${letter}`)
      .toUpperCase();
    literals.set(key, { name: constant, code: statement(`const ${constant} = `, code, 0) });
    return constant;
  }

  /** The variable of an answer, when the story reads it later. */
  function bind(planned: PlannedCall): string | undefined {
    const { call, number, expectations } = planned;
    const key = keyOf({ is: 'answer', call: number });
    if (!used.has(key) && expectations.length === 0 && codeIn(call) === undefined) return undefined;
    const name = nameFor(...variableOf(call, seen));
    bound.set(key, { name, before: ['body'], schema: call.api.response, value: call.response });
    return name;
  }

  /** Constants for ids deep in an answer. */
  function hoist(source: Source): readonly string[] {
    const from = bound.get(keyOf(source));
    if (!from) return [];
    const lines: string[] = [];
    for (const { path } of used.get(keyOf(source)) ?? []) {
      const key = `${keyOf(source)} ${path.join('.')}`;
      if (path.length < 2 || !path.some((part) => typeof part === 'number') || hoisted.has(key)) continue;
      const { code, mayBeMissing } = memberOf(from, path);
      const name = nameFor(hoistedName(path, from.value));
      hoisted.set(key, name);
      lines.push(put(`const ${name} = `, `${code}${mayBeMissing ? " ?? ''" : ''}`));
    }
    return lines;
  }

  function step(planned: PlannedCall): readonly string[] {
    const { call, title, path, body, headers, expectations } = planned;
    if (call.api.auth === 'signature') return webhook(planned);
    // A document, such as a label, needs no credential.
    const as = call.api.auth === 'api-key' ? 'api-key' : isJson(call) ? undefined : 'none';
    const options = objectCode([
      ['as', as && quoted(as)],
      ['headers', headers.length > 0 ? objectCode(headers.map(([name, value]) => [name, codeOf(value)])) : undefined],
    ]);
    const code = objectCode([
      ['title', quoted(title)],
      ['call', callText(call, path)],
      ['body', body && codeOf(body)],
      ['options', as !== undefined || headers.length > 0 ? options : undefined],
      ['status', needsStatus(call) ? String(call.status) : undefined],
      ['events', eventsCode(call)],
    ]);
    const name = bind(planned);
    const lines = [put(name === undefined ? 'await ' : `const ${name} = await `, callCode('stage.step', code))];
    if (name === undefined) return lines;
    const source: Source = { is: 'answer', call: planned.number };
    const refused = codeIn(call);
    if (refused !== undefined) lines.push(put('', callCode('stage.expect', quoted('refusal'), `${name}.body.code`, quoted(refused))));
    return [...lines, ...hoist(source), ...expectations.flatMap((expectation) => expected(source, expectation))];
  }

  function expected(source: Source, { label, path, isListOfStates, value }: Expectation): readonly string[] {
    const from = bound.get(keyOf(source));
    const member = from && memberIn(from, path);
    if (!member) return [];
    const actual = isListOfStates ? `statesOf(${member.code})` : member.code;
    if (isListOfStates) helpers.add('statesOf');
    return [put('', callCode('stage.expect', quoted(label), actual, expectedCode(value)))];
  }

  function expectedCode(value: unknown): Code {
    if (isMoney(value)) return moneyCode(value, helpers);
    if (Array.isArray(value)) return listCode(value.map((item) => literalCode(item as string)));
    return value === undefined ? 'undefined' : literalCode(value as string);
  }

  function callText(call: ClientCall, path: readonly (string | Reference)[]): string {
    const [only] = path;
    // The compiler does not see that an address begins with a slash.
    if (path.length === 1 && only !== undefined && typeof only !== 'string')
      return `\`${call.api.method} \${${referenceCode(only)} as \`/\${string}\`}\``;
    return textCode([`${call.api.method} `, ...path]);
  }

  function webhook({ call, title, body }: PlannedCall): readonly string[] {
    const isForged = call.status === 401;
    const code = objectCode([
      ['id', quoted(call.headers['webhook-id'] ?? 'webhook-1')],
      ['body', body ? codeOf(body) : '{}'],
      ['status', String(call.status)],
      ['secret', isForged ? quoted(FORGED_SECRET) : undefined],
    ]);
    return [put('await ', callCode('stage.webhook', quoted(isForged ? 'A forged webhook arrives' : title), code))];
  }

  function together(planned: readonly PlannedCall[]): readonly string[] {
    const [first] = planned;
    if (!first) return [];
    const codes = planned.map(({ call, path, body, headers }) =>
      objectCode([
        ['call', callText(call, path)],
        ['body', body && codeOf(body)],
        [
          'options',
          headers.length > 0 ? objectCode([['headers', objectCode(headers.map(([name, value]) => [name, codeOf(value)]))]]) : undefined,
        ],
      ]),
    );
    const texts = new Set(codes.map((code) => JSON.stringify(code)));
    const title = quoted(`${first.title.replace(/ again|: .*$/g, '')}: ${planned.length} calls at the same time`);
    const replies = nameFor('replies');
    const lines: string[] = [];
    if (texts.size === 1) {
      const call = nameFor('call');
      lines.push(statement(`const ${call} = `, codes[0] ?? '{}', INDENT, ' as const;'));
      const all = planned.length < 4 ? listCode(planned.map(() => call)) : `Array.from({ length: ${planned.length} }, () => ${call})`;
      lines.push(put(`const ${replies} = await `, callCode('stage.together', title, all)));
    } else lines.push(put(`const ${replies} = await `, callCode('stage.together', title, listCode(codes))));
    lines.push(...outcomes(replies, planned));
    const accepted = planned.filter(({ call }) => call.status < 300);
    const read = accepted.filter(({ number }) => used.has(keyOf({ is: 'answer', call: number })));
    if (read.length > 0) {
      const names = accepted.map((one) => {
        if (!read.includes(one)) return '';
        const name = nameFor(...variableOf(one.call, seen));
        // To the compiler, an element of a list may be undefined.
        bound.set(keyOf({ is: 'answer', call: one.number }), {
          name,
          before: ['body'],
          schema: one.call.api.response.optional(),
          value: one.call.response,
        });
        return name;
      });
      lines.push(put(`const [${names.join(', ').replace(/(?:, )+$/, '')}] = `, `${replies}.filter((reply) => reply.ok)`));
      for (const { number } of read) lines.push(...hoist({ is: 'answer', call: number }));
    }
    return lines;
  }

  /** The same number of concurrent calls succeeds in each run, but not always the same calls. */
  function outcomes(replies: string, planned: readonly PlannedCall[]): readonly string[] {
    const counts = Map.groupBy(planned, ({ call }) => call.status);
    if (planned.length < 4) {
      const statuses = planned.map(({ call }) => call.status).toSorted((one, other) => one - other);
      const code = callCode(
        'stage.expect',
        quoted('answers'),
        `${replies}.map(({ status }) => status).sort()`,
        listCode(statuses.map(String)),
      );
      return [put('', code)];
    }
    return [...counts]
      .toSorted(([one], [other]) => one - other)
      .map(([status, { length }]) =>
        put(
          '',
          callCode(
            'stage.expect',
            quoted(`answers ${status}`),
            `${replies}.filter(({ status }) => status === ${status}).length`,
            String(length),
          ),
        ),
      );
  }

  function operation(record: OperationRecord, { params, body, events }: Extract<Part, { is: 'operation' }>): readonly string[] {
    const param = (name: string): string => {
      const value = params[name];
      return value?.is === 'reference' ? referenceCode(value.reference, true) : String(value ? codeOf(value) : "''");
    };
    const sent = isRecord(record.body) ? record.body : {};
    const bodyCode = codeOf(body);
    const own = ((): Code | undefined => {
      switch (record.id) {
        case 'advance-clock':
          return callCode('stage.advance', quoted(durationText(record)));
        case 'put-fault':
          return callCode('stage.fault', param('name'), bodyCode);
        case 'delete-fault':
          return callCode('stage.noFaults', param('name'));
        case 'delete-faults':
          return callCode('stage.noFaults');
        case 'play-scan':
          return Object.keys(sent).length === 0 ? callCode('stage.scan', param('id'), param('scan')) : undefined;
        case 'open-dispute':
          return callCode('stage.dispute', param('id'), bodyCode);
        case 'close-dispute':
          return callCode('stage.decideDispute', param('id'), quoted(String(sent['outcome'])));
        case 'complete-payment-action-by-hand':
          return callCode('stage.authenticate', param('id'), quoted(String(sent['outcome'])));
        default:
          return undefined;
      }
    })();
    const sections = objectCode([
      ['params', Object.keys(params).length > 0 ? objectCode(Object.keys(params).map((name) => [name, param(name)])) : undefined],
      ['body', Object.keys(sent).length > 0 ? bodyCode : undefined],
    ]);
    return [put('await ', own ?? callCode('stage.control', quoted(record.id), sections)), ...sequence(record, events)];
  }

  function sequence(record: OperationRecord, events: readonly ExpectedEvent[]): readonly string[] {
    if (events.length === 0) return [];
    const steps = events.map(({ name, subject }) =>
      objectCode([
        ['what', quoted('event')],
        ['name', quoted(name)],
        ['subject', subject && textCode(subject)],
      ]),
    );
    const title = record.id === 'advance-clock' ? `what happens within ${lengthInWords(durationMs(durationText(record)))}` : 'what follows';
    return [put('await ', callCode('stage.expectSequence', quoted(title), listCode(steps)))];
  }

  function event({ order, name, place, object }: PlannedEvent): readonly string[] {
    const type = allEvents.find((one) => one.name === name)?.object ?? 'object';
    const variable = nameFor(type.replaceAll('-', ' '));
    const schema = objects.find((one) => one.type === type)?.schema;
    const source: Source = { is: 'event', order };
    if (schema) bound.set(keyOf(source), { name: variable, before: [], schema, value: object });
    const given = place === undefined ? [quoted(name)] : [quoted(name), String(place)];
    return [put(`const ${variable} = await `, callCode('stage.event', ...given)), ...hoist(source)];
  }

  function ownLines(part: Part): readonly string[] {
    switch (part.is) {
      case 'step':
        return step(part.planned);
      case 'together':
        return part.planned.some(({ call }) => call.api.auth === 'signature') ? part.planned.flatMap(step) : together(part.planned);
      case 'operation':
        return operation(part.operation, part);
      case 'event':
        return event(part.event);
      case 'pause':
        return [put('await ', callCode('stage.advance', quoted(`PT${part.seconds}S`)))];
    }
  }

  return {
    /** The statements of a part. */
    part(part: Part, earlier: readonly Part[], later: readonly Part[]): readonly string[] {
      const [next] = later;
      const settle = needsRest(part) && next !== undefined && startsCall(next) ? [put('await ', callCode('stage.settle'))] : [];
      const isParagraph = earlier.length > 0 && startsParagraph(part) && !startsParagraph(earlier.at(-1) as Part);
      return [...(isParagraph ? [''] : []), ...ownLines(part), ...settle];
    },
    /** Constants and helpers before the scenario. */
    constants(): readonly string[] {
      const lines = [...literals.values()].map(({ code }) => code);
      for (const [currency, name] of Object.entries(CURRENCIES))
        if (helpers.has(name)) lines.push(`const ${name} = (amount: number) => ({ amount, currency: '${currency}' });`);
      if (helpers.has('statesOf'))
        lines.push('const statesOf = (objects: readonly { state: string }[] = []) => objects.map(({ state }) => state);');
      return lines.length > 0 ? [...lines, ''] : [];
    },
    /** Helpers that need the stage. */
    locals: (): readonly string[] =>
      helpers.has('fromNow')
        ? [put('const fromNow = ', '(seconds: number): string => new Date(stage.now() + seconds * 1_000).toISOString()')]
        : [],
  };
}

/** A secret that signs no webhook of any rehearsal. */
const FORGED_SECRET = 'whsec_Zm9yZ2VkLWZvcmdlZC1mb3JnZWQ=';

function memberIn({ name, before, schema }: Bound, path: Path): { readonly code: string; readonly mayBeMissing: boolean } | undefined {
  const isOptional = schema.def.type === 'optional';
  return memberCode(
    before.length > 0 ? `${name}${isOptional ? '?.' : '.'}${before.join('.')}` : name,
    path,
    isOptional ? (schema as z.ZodOptional<z.ZodType>).unwrap() : schema,
  );
}

/** Also reads a member that the schema does not declare. */
const memberOf = (from: Bound, path: Path): { readonly code: string; readonly mayBeMissing: boolean } =>
  memberIn(from, path) ?? {
    code: [from.name, ...from.before].join('.') + path.map((part) => (typeof part === 'number' ? `[${part}]` : `['${part}']`)).join(''),
    mayBeMissing: false,
  };

const literalCode = (value: string | number | boolean | null): string =>
  typeof value === 'string' ? quoted(value) : typeof value === 'number' ? numberCode(value) : String(value);

function moneyCode({ amount, currency }: { readonly amount: number; readonly currency: string }, helpers: Set<string>): Code {
  const helper = CURRENCIES[currency];
  if (helper === undefined)
    return objectCode([
      ['amount', numberCode(amount)],
      ['currency', quoted(currency)],
    ]);
  helpers.add(helper);
  return `${helper}(${numberCode(amount)})`;
}

function constantName(name: string, { members }: Extract<Value, { is: 'object' }>, uses: number): string | undefined {
  if (/address$/i.test(name)) return 'address';
  const type = members.find(([member]) => member === 'type')?.[1];
  if (name !== 'tender' || uses < 2 || type?.is !== 'literal') return undefined;
  const token = members.find(([member]) => member === 'token')?.[1];
  return token?.is === 'literal' && String(token.value).includes('decline') ? `declined ${type.value}` : String(type.value);
}

/** How often requests have each object. */
function countObjects(parts: readonly Part[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (value: Value): void => {
    if (value.is === 'object') {
      const key = JSON.stringify(value);
      counts.set(key, (counts.get(key) ?? 0) + 1);
      for (const [, member] of value.members) count(member);
    }
    if (value.is === 'list') value.items.forEach(count);
  };
  for (const part of parts) {
    const planned = part.is === 'step' ? [part.planned] : part.is === 'together' ? part.planned : [];
    for (const { body } of planned) if (body) count(body);
  }
  return counts;
}

/** `mugLineId` for the line of a SKU, and `shipmentId` for other lists. */
function hoistedName(path: Path, value: unknown): string {
  const place = path.findLastIndex((part) => typeof part === 'number');
  const list = singular(String(path[place - 1]));
  const element = path.slice(0, place + 1).reduce<unknown>((inner, name) => (inner as Readonly<Record<string, unknown>>)[name], value);
  const [about = ''] = isRecord(element) && list === 'line' ? String(element['sku']).split('-') : [];
  const member = String(path.at(-1));
  return `${about} ${inWords(list)} ${member === 'lineId' ? 'id' : inWords(member)}`;
}

/** `order` for the first answer about an object, `completedOrder` for a later one in that state, and `refusal`. */
function variableOf(call: ClientCall, seen: Set<string>): readonly [words: string, isLater?: boolean] {
  if (call.status >= 300) return ['refusal'];
  const noun = nounOf(call.api);
  const { response } = call;
  const id = isRecord(response) && typeof response['id'] === 'string' ? response['id'] : call.path;
  const isFirst = !seen.has(`${noun} ${id}`);
  seen.add(`${noun} ${id}`);
  if (isFirst || !isRecord(response)) return [noun];
  const { state } = response;
  if (typeof state !== 'string') return [`later ${noun}`, true];
  return [state.startsWith('in-') ? `${noun} ${state}` : `${state} ${noun}`, true];
}

/** The code of a refusal. */
const codeIn = ({ status, response }: ClientCall): string | undefined =>
  status >= 400 && isRecord(response) && typeof response['code'] === 'string' ? response['code'] : undefined;

const isJson = ({ api }: ClientCall): boolean => api.produces === 'application/json';

/** A natural repeat is answered with 200. */
const needsStatus = ({ api, status, isRepeat }: ClientCall): boolean => status >= 300 || (isRepeat && status !== api.status && status > 0);

/** Events are expected where some followed, and where a change was refused or repeated. */
function eventsCode({ api, events, status, isRepeat }: ClientCall): Code | undefined {
  if (events.length > 0) return listCode(events.map(({ name }) => quoted(name)));
  return api.method !== 'GET' && (status >= 400 || isRepeat) ? '[]' : undefined;
}

/** Parts after which the estate may still be busy. */
const needsRest = (part: Part): boolean =>
  part.is === 'together' ||
  (part.is === 'step' && part.planned.call.api.auth === 'signature') ||
  (part.is === 'operation' && ['delete-fault', 'delete-faults'].includes(part.operation.id));

const startsCall = (part: Part): boolean => part.is === 'together' || (part.is === 'step' && part.planned.call.api.auth !== 'signature');

/** A clock move or a fault begins a paragraph. */
const startsParagraph = (part: Part): boolean =>
  part.is === 'pause' || (part.is === 'operation' && ['advance-clock', 'put-fault'].includes(part.operation.id));

/** The duration that the client wrote. For an instant: the days, hours, minutes and seconds until then. */
function durationText(record: OperationRecord): string {
  if (isRecord(record.body) && typeof record.body['by'] === 'string') return record.body['by'];
  const seconds = Math.ceil(advancedBy(record) / 1_000);
  const units = [
    [Math.floor(seconds / 86_400), 'D'],
    [Math.floor((seconds % 86_400) / 3_600), 'H'],
    [Math.floor((seconds % 3_600) / 60), 'M'],
    [seconds % 60, 'S'],
  ] as const;
  const [days = '', ...times] = units.map(([count, unit]) => (count > 0 ? `${count}${unit}` : ''));
  const time = times.join('');
  return days === '' && time === '' ? 'PT0S' : `P${days}${time === '' ? '' : `T${time}`}`;
}
