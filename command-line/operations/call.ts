import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { apis } from '../../shared/catalog/apis.ts';
import type { ApiDefinition } from '../../shared/catalog/define.ts';
import { DRY_RUN, DryRun } from '../../shared/contract/dry-run.ts';
import { unknownWord } from '../../shared/domain/nearest-word.ts';
import { print, printJson } from '../../shared/process/terminal.ts';
import { answerOf } from '../connection/ask.ts';
import { againstOption, apiKeyOption, bearerOption, clientOf, DEFAULT_URL, jsonOption, rehearsalOption } from '../connection/connection.ts';
import { misuse } from '../failure.ts';
import { withExample } from '../help.ts';
import { showPlain } from '../output/show-answer.ts';
import { lookOf } from '../output/table.ts';
import { parserOf } from './member-option.ts';

/** APIs that answer JSON. The carrier signs its webhook: `estate scan` plays it. */
const callable: readonly ApiDefinition[] = Object.values<ApiDefinition>(apis).filter(
  ({ auth, produces }) => auth !== 'signature' && produces === 'application/json',
);
export const CALLABLE_IDS: readonly string[] = callable.map(({ id }) => id);

interface Options {
  readonly against: string;
  readonly rehearsal: string;
  readonly bearer: string;
  readonly apiKey: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Calls any public API. */
export function callCommand(): Command {
  const api = new Argument('<api>', 'Id of the API, such as confirm-order-api.').argParser((id): ApiDefinition => {
    const found = callable.find((one) => one.id === id);
    if (found === undefined) throw new InvalidArgumentError(unknownWord('API', id, CALLABLE_IDS, 'docs/reference/apis.md'));
    return found;
  });
  const json = (name: string) => parserOf({ path: [name], schema: { type: 'object' }, required: false, inRequiredPart: false }, {});
  const command = new Command('call')
    .description('Calls an API of an application, and prints its answer.')
    .addArgument(api)
    .addArgument(new Argument('[values...]', 'The parameters of its path, in order.'))
    .addOption(new Option('--query <json>', 'Parameters of the query, as JSON.').argParser(json('query')))
    .addOption(new Option('--body <json>', 'Body: JSON, or a file with JSON.').argParser(json('body')))
    .addOption(new Option('--dry-run', 'Checks whether the call is possible, and changes nothing.'))
    .addOption(againstOption().default(DEFAULT_URL))
    .addOption(rehearsalOption())
    .addOption(bearerOption())
    .addOption(apiKeyOption())
    .addOption(jsonOption());
  const basket = `create-basket-api --body '{"channel":"web"}'`;
  return withExample(command, 'call get-product-api mug-blue', `call ${basket}`, `call ${basket} --dry-run`).action(call);
}

async function call(api: ApiDefinition, values: readonly string[], options: Options): Promise<void> {
  const { against, rehearsal, bearer, apiKey, query, body, dryRun, json } = options;
  const { id, method, path, auth } = api;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  if (names.length !== values.length) {
    const remedy = method !== 'GET' && values.length > names.length ? ' Give a body as --body.' : '';
    throw misuse(`${id} takes ${countOf(names)} after its id, not ${values.length}: it is ${method} ${path}.${remedy}`);
  }
  if (method === 'GET' && body !== undefined) throw misuse(`${id} reads, so it takes no --body. Give --query.`);
  await using client = clientOf({ against, rehearsal, admin: '' }, { bearer, apiKey });
  const target = { method, path, response: dryRun ? DryRun : api.response, as: auth === 'signature' ? 'none' : auth } as const;
  const answer = await answerOf(client, { against }, target, {
    params: Object.fromEntries(names.map((name, place) => [name, values[place] ?? ''])),
    query: { ...query, [DRY_RUN]: dryRun },
    body,
    places: { ...Object.fromEntries(names.map((name) => [`/${name}`, name])), [`/${DRY_RUN}`]: '--dry-run' },
  });
  if (json) printJson(answer, 2);
  else print(`${dryRun ? verdictIn(answer as DryRun) : shown(answer)}\n`);
}

const countOf = (names: readonly string[]): string =>
  names.length === 0 ? 'nothing' : `${names.length === 1 ? 'one value' : `${names.length} values`} (${names.join(', ')})`;

const shown = (answer: unknown): string => showPlain(answer, {}, lookOf(process.stdout));

function verdictIn({ status, answer, foreseen, unchanged }: DryRun): string {
  const possible = unchanged ? 'It is possible, and would change nothing.' : 'It is possible.';
  if (foreseen !== undefined) return `${possible} This part of its answer is certain:\n\n${shown(foreseen)}`;
  if (status === undefined) return `${possible} What it would answer depends on other applications.`;
  return answer === undefined ? `${possible} It would answer ${status}.` : `${possible} It would answer ${status}:\n\n${shown(answer)}`;
}
