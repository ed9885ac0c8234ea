import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import * as loyaltyPlatform from '../../services/loyalty-platform/service.ts';
import type { Application } from '../../shared/catalog/applications.ts';
import type { ApiDefinition } from '../../shared/catalog/define.ts';
import { loyaltyInternalCalls } from '../../shared/catalog/loyalty/internal.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { pathParameters, routeTable } from '../../shared/http/route-table.ts';
import { serving } from '../conform/serving.ts';
import { type Inside, startInside } from './inside.ts';

interface Asked {
  readonly method: string;
  readonly path: string;
  // biome-ignore lint/suspicious/noExplicitAny: each rule reads requests of its API
  readonly body: any;
}

interface Answered {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each rule reads answers of its API
  readonly body: any;
}

/** A rule of the retailer that differs from ours: it changes an answer, or leaves it as it is. */
export type Rule = (asked: Asked, answered: Answered) => Answered;

/** A retailer's Loyalty Platform: a copy of ours behind real HTTP, with its own members for each rehearsal, and with other rules. */
export async function startLoyaltyCopy(...rules: readonly Rule[]) {
  const copies = new Map<string, Promise<Inside>>();
  const internal = routeTable(loyaltyInternalCalls.map((api) => ({ method: api.method, path: api.path, api: api as ApiDefinition })));

  function copyFor(rehearsal: string): Promise<Inside> {
    const known = copies.get(rehearsal) ?? startInside(loyaltyPlatform);
    copies.set(rehearsal, known);
    return known;
  }

  async function called(copy: Inside, caller: string | undefined, { method, path, body }: Asked): Promise<Answered> {
    const [plain = ''] = path.split('?', 1);
    const route = internal.find(method, plain);
    if (!route) return copy.call(method, path, method === 'GET' ? undefined : body);
    const { api } = route;
    try {
      const params = pathParameters(route, plain);
      const answer = await copy.as(caller as Application)(api as never, { params, ...(method !== 'GET' && { body }) } as never);
      return { status: api.status, body: answer };
    } catch (error) {
      if (error instanceof Problem) return { status: error.status, body: error.body(path) };
      throw error;
    }
  }

  async function answer(request: IncomingMessage): Promise<Answered> {
    const { method = '', url: path = '', headers } = request;
    const sent = await text(request);
    const copy = await copyFor(String(headers['x-rehearsal']));
    const ahead = Date.parse(String(headers['x-rehearsal-now'])) - (await copy.now());
    if (ahead > 0) await copy.advance(ahead);
    const body = sent === '' ? undefined : JSON.parse(sent);
    if (path === '/events') {
      await copy.publish(body);
      return { status: 204, body: undefined };
    }
    const asked = { method, path, body };
    const first = await called(copy, headers['x-calling-application'] as string | undefined, asked);
    return rules.reduce((answered, rule) => rule(asked, answered), first);
  }

  const server = await serving(async (request, response) => {
    const { status, body } = await answer(request).catch((error: Error) => ({ status: 500, body: { detail: error.stack } }));
    response.writeHead(status, { 'content-type': 'application/json' }).end(body === undefined ? undefined : JSON.stringify(body));
  });
  return {
    url: server.url,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      for (const copy of copies.values()) await (await copy)[Symbol.asyncDispose]();
    },
  };
}
