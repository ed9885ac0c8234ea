import { type Request, type Response, Router } from 'express';
import { applyCarrierProgression, applyReturnsProgression, applyWarehouseProgression } from '../../shared/catalog/fulfillment/internal.ts';
import { notFound, Problem } from '../../shared/catalog/problems.ts';
import type { FaultInput } from '../../shared/catalog/simulation/faults.ts';
import { controlOperations } from '../../shared/catalog/simulation/operations.ts';
import { Progression, progressionOf } from '../../shared/catalog/simulation/progression.ts';
import { refuseSecrets } from '../../shared/contract/secrets.ts';
import { parseParams, parsePart } from '../../shared/contract/validation.ts';
import { DEFAULT_REHEARSAL } from '../../shared/domain/ids.ts';
import { instant } from '../../shared/domain/time.ts';
import { readJson } from '../../shared/http/json-body.ts';
import type { Simulation, Worlds } from '../../shared/store/ports/estate-store.ts';
import { expressPath } from '../../shared/transport/path.ts';
import { destination } from './clock-destination.ts';
import { type ClockDriver, ranItem } from './clock-driver.ts';
import { type ListedEvent, readEvents } from './event-reader.ts';
import { checkFault, knownEvent } from './fault-check.ts';
import type { InsideCall } from './inside-call.ts';
import { readJournal } from './journal-reader.ts';
import { readObject } from './object-reader.ts';
import type { OperationScope, Operations } from './operations.ts';
import { createOutsideWorld } from './outside-world.ts';
import { redriveParked } from './parked.ts';
import { createRehearsalOperations, shownWorld } from './rehearsals/operations.ts';
import type { Rehearsals } from './rehearsals/rehearsals.ts';
import type { Use } from './rehearsals/use.ts';
import type { EstateObjects } from './verify/held-world.ts';
import { verifyWorld } from './verify.ts';
import { withheld } from './withheld.ts';

/** Wall time after which a wait looks again although nobody told of a change. */
const POLL_MS = 250;

export interface ControlPlaneOptions {
  readonly worlds: Worlds;
  readonly rehearsals: Rehearsals;
  readonly use: Use;
  readonly driver: ClockDriver;
  readonly ask: InsideCall;
  /** Where each business object is stored. */
  readonly objects: EstateObjects;
  readonly simulation: Simulation;
  /** Aborted when the process stops: whoever waits for events is then told what there is. */
  readonly stopping: AbortSignal;
}

/** What the gateway has found out: the rehearsal's name, and the unparsed body. */
interface GatewayLocals {
  readonly rehearsal?: string;
  readonly body?: Buffer;
}

/** The simulation plane. The gateway has authenticated the request, and answers what is thrown here. */
export function createControlPlane(options: ControlPlaneOptions): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const handlers = operations(options);
  for (const operation of Object.values(controlOperations)) {
    const method = operation.method.toLowerCase() as 'get' | 'post' | 'put' | 'delete';
    const path = expressPath(operation.path.slice('/_sim'.length));
    router.route(path)[method](async (request: Request, response: Response) => {
      const { rehearsal, body: sent } = response.locals as GatewayLocals;
      const body = await readJson(request.headers, sent);
      const params = parseParams(request.params);
      if (operation.method !== 'GET' && operation.method !== 'DELETE') refuseSecrets(params, 'path');
      if (body) refuseSecrets(body.value);
      const input = {
        params,
        query: parsePart(operation.query, request.query, 'query'),
        body: parsePart(operation.request, body ? body.value : {}, 'body'),
      };
      const handler = handlers[operation.id] as unknown as (input: unknown, asked: OperationScope | undefined) => Promise<unknown>;
      const gone = goneWith(response);
      const output = isAboutRehearsals(operation.path)
        ? await handler(input, undefined)
        : await within(options, rehearsal ?? DEFAULT_REHEARSAL, ({ name, view }) => handler(input, { name, view, gone }));
      if (operation.status === 204) response.status(204).end();
      else response.status(operation.status).json(output);
    });
  }
  for (const path of new Set(Object.values(controlOperations).map((operation) => operation.path))) {
    const allowed = Object.values(controlOperations)
      .filter((operation) => operation.path === path)
      .map(({ method }) => method);
    router.all(expressPath(path.slice('/_sim'.length)), (request) => {
      throw new Problem('method_not_allowed', `${request.method} is not possible here; ${allowed.join(', ')} is.`, { allow: allowed });
    });
  }
  router.use((request) => {
    throw new Problem('not_found', `The simulation plane has nothing at ${request.baseUrl}${request.path}.`);
  });
  return router;
}

/** What a client no longer waits for ends. */
function goneWith(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}

/** Those are in no rehearsal. */
const isAboutRehearsals = (path: string): boolean => path.startsWith('/_sim/rehearsals');

/** What runs in a rehearsal counts as its use. Naming one here does not create it. @throws Problem unknown_rehearsal */
async function within<T>(
  { rehearsals, use }: ControlPlaneOptions,
  name: string,
  run: (found: Pick<OperationScope, 'name' | 'view'>) => Promise<T>,
): Promise<T> {
  const view = await (name === DEFAULT_REHEARSAL ? rehearsals.ensure(name) : rehearsals.find(name));
  return use.during(name, () => run({ name, view }));
}

function operations({ worlds, rehearsals, driver, ask, objects, simulation, stopping }: ControlPlaneOptions): Operations {
  const showFault = ({ name, json, hits }: { name: string; json: string; hits: number }) => ({
    name,
    ...(JSON.parse(json) as FaultInput),
    hits,
  });
  return {
    ...createRehearsalOperations({ worlds, rehearsals }),
    'reset-rehearsal': async (_input, { name }) => shownWorld(await rehearsals.reset(name), new Date().toISOString()),
    'read-clock': async (_input, { view }) => ({ now: instant(view.now), flowing: view.flowing }),
    'set-clock': async ({ body }, { view }) => {
      await driver.setFlowing(view.world, body.flowing);
      const after = await rehearsals.find(view.rehearsal);
      return { now: instant(after.now), flowing: after.flowing };
    },
    'advance-clock': async ({ body }, { view, gone }) => {
      const to = destination(body, view.now);
      const { now, ran, settled, waitingFor } = await driver.advance(view.world, to, body.timeoutMs, gone);
      return { now: instant(now), ran: ran.map(ranItem), settled, waitingFor: [...waitingFor] };
    },
    settle: async ({ body }, { view, gone }) => {
      const { settled, waitingFor } = await driver.settle(view.world, body.timeoutMs, gone);
      const ledger = await worlds.ledger(view.world);
      return {
        settled,
        waitingFor: [...waitingFor],
        parked: ledger.parked.map((one) => ({ ...one, at: instant(one.at) })),
        withheld: ledger.withheld.map(withheld),
      };
    },
    'list-parked': async (_input, { view }) => {
      const { parked } = await worlds.ledger(view.world);
      return { items: parked.map((one) => ({ ...one, at: instant(one.at) })) };
    },
    'redrive-parked': ({ body }, { view }) => redriveParked(worlds, view.world, body.key),
    'list-events': async ({ query }, { view }) => {
      if (query.type !== undefined) knownEvent(query.type, '?type');
      return plainEvents(await readEvents(worlds, view.world, { ...query, ext: query.ext === 'true' }));
    },
    'wait-for-events': async ({ body }, { view, gone }) => {
      const { type, subject, count, timeoutMs } = body;
      knownEvent(type, '/type');
      const until = Date.now() + timeoutMs;
      const items: ListedEvent[] = [];
      let next = body.after;
      for (;;) {
        const change = driver.changes.next(view.world, Math.min(POLL_MS, Math.max(0, until - Date.now())));
        try {
          const read = await readEvents(worlds, view.world, { type, subject, after: next, limit: count - items.length, ext: true });
          items.push(...read.items);
          next = read.next;
          const found = items.length >= count;
          if (found || Date.now() >= until || stopping.aborted || gone.aborted) return { found, ...plainEvents({ items, next }) };
          await change.happened;
        } finally {
          change.forget();
        }
      }
    },
    'read-object': ({ params }, { view }) => readObject(worlds, view.world, { objects, ...params }),
    'read-progression': async (_input, { view }) => progressionOf(view),
    'set-progression': async ({ body }, { view }) => {
      const before = progressionOf(view);
      const after = Progression.parse({ ...before, ...body });
      await worlds.setProgression(view.world, after);
      const now = { ...view, progression: after };
      if (after.carrier !== before.carrier) await ask(now, applyCarrierProgression, { body: { carrier: after.carrier } });
      if (after.warehouse !== before.warehouse) await ask(now, applyWarehouseProgression, { body: { warehouse: after.warehouse } });
      if (after.returns !== before.returns) await ask(now, applyReturnsProgression, { body: { returns: after.returns } });
      return after;
    },
    ...createOutsideWorld(ask),
    'put-fault': async ({ params, body }, { view }) => {
      checkFault(params.name, body);
      await worlds.setFault(view.world, params.name, JSON.stringify(body));
      return showFault({ name: params.name, json: JSON.stringify(body), hits: 0 });
    },
    'list-faults': async (_input, { view }) => ({ items: (await simulation.faults(view.world)).rules.map(showFault) }),
    'delete-fault': async ({ params }, { view }) => {
      if (await worlds.removeFault(view.world, params.name)) return null;
      throw notFound('fault', params.name);
    },
    'delete-faults': async (_input, { view }) => {
      await worlds.removeFault(view.world);
      return null;
    },
    'read-journal': ({ query }, { view }) => readJournal(worlds, view.world, { ...query, stopping }),
    verify: async (_input, { view, gone }) => {
      const { settled, waitingFor } = await driver.settle(view.world, 10_000, gone);
      const invariants = await verifyWorld(worlds, view.world, objects);
      return { holds: invariants.every(({ holds }) => holds), settled, waitingFor: [...waitingFor], invariants };
    },
  };
}

const plainEvents = ({ items, next }: Awaited<ReturnType<typeof readEvents>>) => ({
  items: items.map(({ order, event }) => ({ order, event: event as unknown as Record<string, unknown> })),
  next,
});
