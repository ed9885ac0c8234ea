import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Router } from 'express';
import { apis } from '../shared/catalog/apis.ts';
import type { Application } from '../shared/catalog/applications.ts';
import type { ApiDefinition } from '../shared/catalog/define.ts';
import { BODY_BYTES } from '../shared/contract/body-limit.ts';
import { createEstateCalls } from '../shared/control/estate-call.ts';
import { createFaults } from '../shared/control/faults.ts';
import { routeTable } from '../shared/http/route-table.ts';
import { UNOBSERVED } from '../shared/observability/observer.ts';
import { createFairServer, listen, watchConnections } from '../shared/process/fair-server.ts';
import { withoutFailing } from '../shared/process/harmless.ts';
import type { Logger } from '../shared/process/logger.ts';
import { ownHosts } from '../shared/process/own-hosts.ts';
import type { FaultStore } from '../shared/store/ports/faults.ts';
import type { JournalWriter } from '../shared/store/ports/journal.ts';
import { WORLD_BYTES } from '../shared/store/ports/plan.ts';
import type { Directory, RevocationStore, WorldView } from '../shared/store/ports/rehearsals.ts';
import type { Endpoint } from '../shared/transport/endpoint.ts';
import { REQUEST_MS } from './application-headers.ts';
import { CLIENT_TIMES, type ClientTimes, refuseOnSocket, serverOptions } from './client-connections.ts';
import { type Credential, createKeyring } from './credentials.ts';
import { crossOrigin } from './cross-origin.ts';
import { createEstateCallers } from './estate-callers.ts';
import { createInProcessForwarder } from './forwarder.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { createHandOver } from './hand-over.ts';
import { createAccessTokens } from './oauth/access-tokens.ts';
import { createOAuthClients, type OAuthClient } from './oauth/clients.ts';
import { observeRequest } from './observing.ts';
import { createPassage } from './passage.ts';
import { createProxy } from './proxy.ts';
import { createRateLimits } from './rate-limits.ts';
import { refuse } from './refusals.ts';
import { rehearsalAccess } from './rehearsal-access.ts';

export interface GatewayOptions
  extends Pick<GatewayParts, 'token' | 'controlPlane' | 'agents' | 'states' | 'applicationStates'>,
    Partial<Pick<GatewayParts, 'noteUse' | 'worldBytes' | 'heap' | 'snapshotBytes' | 'observability' | 'turns'>> {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly directory: Directory & RevocationStore;
  /** Seeds a world when a known credential uses the name of a rehearsal for the first time. */
  readonly createRehearsal: (name: string) => Promise<WorldView>;
  readonly credentials: readonly Credential[];
  /** Programs that fetch access tokens, in addition to the client of each rehearsal. */
  readonly clients?: readonly OAuthClient[];
  /** Keys are hashed with it. */
  readonly pepper: string;
  /** Called for every request, because ports are known only after the applications have started. */
  readonly addressOf: (application: Application) => string;
  /** The applications of this process. Without it, requests reach the applications over HTTP. */
  readonly endpointOf?: ((application: Application) => Endpoint | undefined) | undefined;
  /** The journal of the gateway's own refusals, and the faults that strike access tokens. */
  readonly control: JournalWriter & FaultStore;
  readonly log: Logger;
  /** Answers all other paths, without a credential. */
  readonly documents: Router;
  /** Host names under which the documents are served, in addition to the names of this machine. */
  readonly allowedHosts?: readonly string[];
  /** Origins whose pages may call the gateway, as `CORS_ORIGINS` names them. Default: none. */
  readonly corsOrigins?: readonly string[];
  readonly limits: { readonly perAddressPerMinute: number; readonly perKeyPerMinute: number };
  /** Default: the APIs of the catalog. */
  readonly apis?: readonly ApiDefinition[];
  /** Wall times that replace the defaults. */
  readonly times?: Partial<ClientTimes & { readonly applicationMs: number }>;
}

export interface RunningGateway {
  readonly url: string;
  readonly port: number;
  /** Ends readiness. From then on answers have `Connection: close`. */
  drain(): void;
  /** Stops accepting, finishes running requests, closes idle connections. */
  close(): Promise<void>;
}

/** @throws Error with code EADDRINUSE when the port is taken */
export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const { log, control, observability, addressOf, endpointOf, pepper } = options;
  const times = { ...CLIENT_TIMES, applicationMs: REQUEST_MS, ...options.times };
  // `100 Continue` is sent after all other checks; unknown expectations are ignored.
  const expectations = ['checkContinue', 'checkExpectation'] as const;
  const server = createFairServer({ ...serverOptions(times), expectations }, (request, response) => void answer(request, response));
  const pages = crossOrigin(options.corsOrigins ?? []);
  const connections = watchConnections(server, {
    refuseOnSocket: (error, socket, response) => refuseOnSocket(error, socket, { response, crossOrigin: pages }),
  });
  const access = rehearsalAccess(options);
  const { resolve, revocations } = access;
  const accessTokens = createAccessTokens(pepper);
  const limits = { timeoutMs: times.applicationMs, draining: connections.draining };
  const parts: GatewayParts = {
    observer: observability?.observer('gateway', log) ?? UNOBSERVED,
    observability,
    connections,
    states: options.states,
    applicationStates: options.applicationStates,
    limits: createRateLimits(options.limits),
    keyring: createKeyring({ credentials: options.credentials, pepper, accessTokens, revocations, resolve }),
    estateCalls: createEstateCallers({ calls: createEstateCalls(options.token), resolve }),
    clients: createOAuthClients({ clients: options.clients ?? [], pepper, resolve }),
    accessTokens,
    revocations,
    access,
    faults: createFaults(control),
    noteUse: options.noteUse ?? (() => {}),
    worldBytes: options.worldBytes ?? WORLD_BYTES,
    heap: options.heap,
    snapshotBytes: options.snapshotBytes ?? BODY_BYTES,
    routes: routeTable((options.apis ?? Object.values(apis)).filter(({ audience }) => audience === 'public')),
    isOwnHost: ownHosts(options.allowedHosts ?? []),
    crossOrigin: pages,
    documents: createHandOver(options.documents),
    controlPlane: options.controlPlane,
    agents: options.agents,
    forwarder: endpointOf ? createInProcessForwarder({ endpointOf, ...limits }) : createProxy({ addressOf, ...limits }),
    turns: options.turns,
    token: options.token,
    expectHops: control.expectHops,
  };

  const pass = createPassage(parts);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { facts, refusal } = await pass({ request, response, started: performance.now() });
    const ids = (refusal && refuse({ log, control, observer: parts.observer }, refusal.error, facts)) ?? facts.ids;
    withoutFailing(log, 'observing a request', () => observeRequest(parts.observer, { ...facts, ids }));
  }

  const url = await listen(server, options.port, options.host);
  return {
    url,
    port: (server.address() as AddressInfo).port,
    drain: connections.drain,
    close: async () => {
      await connections.close();
      parts.forwarder.close();
    },
  };
}
