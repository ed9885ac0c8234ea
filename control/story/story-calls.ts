import { type Breathe, eachBreathing } from '../../shared/domain/breathe.ts';
import { callCode, listCode, objectCode, quoted } from './code.ts';
import type { ClientCall } from './deeds.ts';
import type { Expectation } from './expectations.ts';
import type { PlannedCall } from './plan.ts';
import { isRecord, type Reference, type Source } from './references.ts';
import { put, type StoryValues } from './story-values.ts';

/** A secret that signs no webhook of any rehearsal. */
const FORGED_SECRET = 'whsec_Zm9yZ2VkLWZvcmdlZC1mb3JnZWQ=';

/** Writes the statements that repeat calls of APIs, and expect their outcomes. */
export function createCallStatements(values: StoryValues) {
  const { nameFor, codeOf, textCode, hoist } = values;

  function step(planned: PlannedCall): readonly string[] {
    const { call, title, path, body, expectations } = planned;
    if (call.api.auth === 'signature') return webhook(planned);
    const code = objectCode([
      ['title', quoted(title)],
      ['call', callText(call, path)],
      ['body', body && codeOf(body)],
      ['options', optionsCode(planned)],
      ['status', needsStatus(call) ? String(call.status) : undefined],
      ['events', eventsCode(call)],
    ]);
    const refused = codeIn(call);
    const source: Source = { is: 'answer', call: planned.number };
    const isBound = values.isRead(source) || expectations.length > 0 || refused !== undefined;
    const name = isBound ? values.bindAnswer(planned) : undefined;
    const lines = [put(name === undefined ? 'await ' : `const ${name} = await `, callCode('stage.step', code))];
    if (name === undefined) return lines;
    if (refused !== undefined) lines.push(put('', callCode('stage.expect', quoted('refusal'), `${name}.body.code`, quoted(refused))));
    return [...lines, ...hoist(source), ...expectations.flatMap((expectation) => expected(source, expectation))];
  }

  function optionsCode({ call, byToken, headers }: PlannedCall): string | undefined {
    // A document, such as a label, needs no credential.
    const as = call.api.auth === 'api-key' ? 'api-key' : byToken ? 'access-token' : isJson(call) ? undefined : 'none';
    if (as === undefined && headers.length === 0) return undefined;
    return objectCode([
      ['as', as && quoted(as)],
      ['headers', headers.length > 0 ? objectCode(headers.map(([name, value]) => [name, codeOf(value)])) : undefined],
    ]);
  }

  function expected(source: Source, { label, path, isListOfStates, value }: Expectation): readonly string[] {
    const member = values.memberCode(source, path);
    if (member === undefined) return [];
    const actual = isListOfStates ? values.statesCode(member) : member;
    return [put('', callCode('stage.expect', quoted(label), actual, values.expectedCode(value)))];
  }

  function callText(call: ClientCall, path: readonly (string | Reference)[]): string {
    const [only] = path;
    // The compiler does not see that an address begins with a slash.
    if (path.length === 1 && only !== undefined && typeof only !== 'string')
      return `\`${call.api.method} \${${values.referenceCode(only)} as \`/\${string}\`}\``;
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

  async function together(planned: readonly PlannedCall[], breathe: Breathe): Promise<readonly string[]> {
    const [first] = planned;
    if (!first) return [];
    const codes = await eachBreathing(planned, breathe, (one) =>
      objectCode([
        ['call', callText(one.call, one.path)],
        ['body', one.body && codeOf(one.body)],
        ['options', optionsCode(one)],
      ]),
    );
    const texts = new Set(await eachBreathing(codes, breathe, (code) => JSON.stringify(code)));
    const title = quoted(`${first.title.replace(/ again|: .*$/g, '')}: ${planned.length} calls at the same time`);
    const replies = nameFor('replies');
    const lines: string[] = [];
    if (texts.size === 1) {
      const call = nameFor('call');
      lines.push(put(`const ${call} = `, codes[0] ?? '{}', ' as const;'));
      const all = planned.length < 4 ? listCode(planned.map(() => call)) : `Array.from({ length: ${planned.length} }, () => ${call})`;
      lines.push(put(`const ${replies} = await `, callCode('stage.together', title, all)));
    } else lines.push(put(`const ${replies} = await `, callCode('stage.together', title, listCode(codes))));
    lines.push(...outcomes(replies, planned));
    const accepted = planned.filter(({ call }) => call.status < 300);
    const read = accepted.filter(({ number }) => values.isRead({ is: 'answer', call: number }));
    if (read.length > 0) {
      // To the compiler, an element of a list may be undefined.
      const isRead = new Set(read);
      const names = await eachBreathing(accepted, breathe, (one) =>
        isRead.has(one) ? values.bindAnswer(one, one.call.api.response.optional()) : '',
      );
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

  return {
    step,
    together: async (planned: readonly PlannedCall[], breathe: Breathe): Promise<readonly string[]> =>
      planned.some(({ call }) => call.api.auth === 'signature')
        ? (await eachBreathing(planned, breathe, step)).flat()
        : together(planned, breathe),
  };
}

/** The code of a refusal. */
const codeIn = ({ status, response }: ClientCall): string | undefined =>
  status >= 400 && isRecord(response) && typeof response['code'] === 'string' ? response['code'] : undefined;

const isJson = ({ api }: ClientCall): boolean => api.produces === 'application/json';

/** A natural repeat is answered with 200. */
const needsStatus = ({ api, status, isRepeat }: ClientCall): boolean => status >= 300 || (isRepeat && status !== api.status && status > 0);

/** Events are expected where some followed, and where a change was refused or repeated. */
function eventsCode({ api, events, status, isRepeat }: ClientCall): string | undefined {
  if (events.length > 0) return listCode(events.map(({ name }) => quoted(name)));
  return api.method !== 'GET' && (status >= 400 || isRepeat) ? '[]' : undefined;
}
