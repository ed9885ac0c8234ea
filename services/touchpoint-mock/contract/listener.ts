import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import { exceededLimit, JSON_KINDS, JSON_LEVELS, JSON_MEMBERS, JSON_VALUES } from '../../../shared/domain/json-limits.ts';
import {
  type Answer,
  AUTHORIZATION_DENIED,
  BODY_TOO_LARGE,
  NESTED_TOO_DEEPLY,
  POST_ONLY,
  SELECTOR_REFUSED,
  send,
  sendUnread,
  TOO_MANY_MEMBERS,
  TOO_MANY_VALUES,
} from './answers.ts';
import { ALIAS_NAMES, ALIASES, scenarioPath } from './cases.ts';
import { type FixedResponse, fixedResponse } from './fixed-response.ts';
import type { TouchpointFixtures } from './fixtures.ts';

const BODY_LIMIT = 1024 * 1024;

interface Contract {
  readonly table: ReadonlyMap<string, ContractEndpoint>;
  readonly credential: StoreCredential;
  readonly lanes: ReadonlySet<unknown>;
  /** Answers all other paths. */
  readonly otherwise: RequestListener;
}

/** On `node:http`, because clients measure it. The order of the checks is part of the contract: credential, lane, selector. */
export function contractListener({ table, credential, lanes, otherwise }: Contract): RequestListener {
  function answerTo({ request, endpoint, text }: { request: IncomingMessage; endpoint: ContractEndpoint; text: string }): Answer {
    const exceeded = exceededLimit(text, { levels: JSON_LEVELS, named: JSON_MEMBERS, values: JSON_VALUES, kinds: JSON_KINDS });
    if (exceeded !== undefined) return EXCESSES[exceeded] ?? TOO_MANY_MEMBERS;
    const basket = parseObject(text);
    // Without a readable lane, the key is not authorised.
    if (basket === undefined || !lanes.has(basket.touchpointId)) return AUTHORIZATION_DENIED;
    const fixed = endpoint.choose(selectorOf(request));
    if (fixed === undefined) return SELECTOR_REFUSED;
    const body = fixed.body(String(basket.touchpointId), basket.basketId);
    return { status: fixed.status, headers: [...fixed.headers, 'Content-Length', String(Buffer.byteLength(body))], body };
  }

  return (request, response) => {
    const target = request.url ?? '';
    const endpoint = table.get(target) ?? table.get(pathOf(target));
    if (endpoint === undefined) {
      // A body after `Expect` without `100 Continue` may follow or not, so the connection cannot be used again.
      if (request.headers.expect !== undefined) response.setHeader('Connection', 'close');
      otherwise(request, response);
      return;
    }
    const early = refusalBeforeBody(request, credential);
    if (early !== undefined) {
      if (isSmall(request)) send(response, early);
      else sendUnread({ request, response, answer: early });
      return;
    }
    if (request.headers.expect !== undefined && request.httpVersionMinor > 0) response.writeContinue();
    collect(request, (text) => {
      if (text === undefined) sendUnread({ request, response, answer: BODY_TOO_LARGE });
      else send(response, answerTo({ request, endpoint, text }));
    });
  };
}

const EXCESSES: Readonly<Record<string, Answer>> = { levels: NESTED_TOO_DEEPLY, values: TOO_MANY_VALUES };

function refusalBeforeBody(request: IncomingMessage, credential: StoreCredential): Answer | undefined {
  if (request.method !== 'POST') return POST_ONLY;
  if (!credential.accepts(request.headers.authorization)) return AUTHORIZATION_DENIED;
  return Number(request.headers['content-length'] ?? 0) > BODY_LIMIT ? BODY_TOO_LARGE : undefined;
}

/** Whether a refused body is small enough to be read to its end, so that the connection can be used again. */
function isSmall({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && headers.expect === undefined && Number(headers['content-length'] ?? 0) <= BODY_LIMIT;
}

/** A repeated header arrives joined ("02, 03"), which is the name of no case. */
function selectorOf({ headers }: IncomingMessage): string | undefined {
  const selector = headers['x-mock-case'];
  return typeof selector === 'string' ? selector : undefined;
}

/** The path of a request target that has a query. */
function pathOf(target: string): string {
  const query = target.indexOf('?');
  return query < 0 ? target : target.slice(0, query);
}

type Done = (body: string | undefined) => void;

/** Calls back with the body as text, or with undefined as soon as more than the limit has arrived. */
function collect(request: IncomingMessage, done: Done): void {
  // A short body comes together with its headers. Node has parsed it by the next turn, and then reading it takes no listeners.
  setImmediate(() => {
    if (request.complete && !request.destroyed) done(textOf(request.read() as Buffer | null));
    else listenTo(request, done);
  });
}

const textOf = (body: Buffer | null): string | undefined => (body && body.length > BODY_LIMIT ? undefined : (body ?? '').toString());

function listenTo(request: IncomingMessage, done: Done): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const onData = (chunk: Buffer) => {
    size += chunk.length;
    if (size <= BODY_LIMIT) {
      chunks.push(chunk);
      return;
    }
    request.off('data', onData).off('end', onEnd);
    done(undefined);
  };
  const onEnd = () => done(Buffer.concat(chunks).toString());
  request.on('data', onData).on('end', onEnd);
}

/** The members that the mock reads; undefined unless the text is a JSON object. The content type is not checked. */
function parseObject(text: string): { readonly touchpointId?: unknown; readonly basketId?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A contract path, which chooses a response by the selector header. */
interface ContractEndpoint {
  choose(selector: string | undefined): FixedResponse | undefined;
}

/** The 23 contract paths: 21 scenario endpoints whose path implies the case, and two aliases that need the selector. */
export function contractTable({ cases }: TouchpointFixtures): ReadonlyMap<string, ContractEndpoint> {
  const table = new Map<string, ContractEndpoint>();
  for (const alias of ALIAS_NAMES) {
    const byCase = new Map<string, FixedResponse>();
    for (const fixture of cases.filter((candidate) => candidate.alias === alias)) {
      const response = fixedResponse(fixture);
      byCase.set(fixture.case, response);
      table.set(scenarioPath(fixture.case), { choose: () => response });
    }
    // There is no default: an absent selector is refused like an unknown one.
    table.set(ALIASES[alias].path, { choose: (selector) => (selector === undefined ? undefined : byCase.get(selector)) });
  }
  return table;
}

/** Decides whether an `Authorization` header carries the key of this store. */
interface StoreCredential {
  accepts(authorization: string | undefined): boolean;
}

/** Matches the scheme in any case, the key exactly in constant time. Node decodes headers as Latin-1, so the sent bytes are compared. */
export function storeCredential(storeKey: string): StoreCredential {
  const expected = Buffer.from(storeKey, 'latin1');
  const candidate = Buffer.alloc(expected.length);

  return {
    accepts(authorization) {
      const key = bearerKey(authorization);
      if (key === undefined) return false;
      candidate.fill(0);
      candidate.write(key, 'latin1');
      const same = timingSafeEqual(candidate, expected);
      return same && key.length === expected.length;
    },
  };
}

function bearerKey(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : /^bearer +([^ ].*)$/i.exec(authorization)?.[1];
}
