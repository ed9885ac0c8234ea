import type { ServerResponse } from 'node:http';
import type { ApiDefinition } from '../shared/catalog/define.ts';
import type { AgentRequest, ControlRequest } from '../shared/control/admitted.ts';
import type { Faults } from '../shared/control/faults.ts';
import type { World } from '../shared/domain/world.ts';
import type { RouteTable } from '../shared/http/route-table.ts';
import type { Observability } from '../shared/observability/observability.ts';
import type { Observer } from '../shared/observability/observer.ts';
import type { Connections } from '../shared/process/fair-server.ts';
import type { Heap } from '../shared/process/heap.ts';
import type { ApplicationState, State } from '../shared/process/readiness.ts';
import type { Turns } from '../shared/store/ports/turns.ts';
import type { Keyring } from './credentials.ts';
import type { CrossOrigin } from './cross-origin.ts';
import type { EstateCallers } from './estate-callers.ts';
import type { Forwarder } from './forwarder.ts';
import type { HandOver } from './hand-over.ts';
import type { AccessTokens } from './oauth/access-tokens.ts';
import type { OAuthClients } from './oauth/clients.ts';
import type { RateLimits } from './rate-limits.ts';
import type { RehearsalAccess, Revocations } from './rehearsal-access.ts';

/** Answers a request to the control plane. @throws Problem */
type ControlPlane = (admitted: ControlRequest, response: ServerResponse) => Promise<void>;

/** Answers the Model Context Protocol at `/mcp`. */
export type AgentEndpoint = (admitted: AgentRequest, response: ServerResponse) => Promise<void>;

export interface GatewayParts {
  readonly observer: Observer;
  /** Metrics and traces; `/metrics` is for credentials with the scope `control`. Undefined: the gateway is not observed. */
  readonly observability: Observability | undefined;
  readonly connections: Connections;
  /** The dependencies that must be ready before the gateway is. */
  readonly states: () => readonly State[];
  /** The states of the applications, which the gateway does not need to be ready. */
  readonly applicationStates: (how: 'now' | 'latest') => Promise<readonly ApplicationState[]>;
  readonly routes: RouteTable<ApiDefinition>;
  readonly crossOrigin: CrossOrigin;
  readonly limits: RateLimits;
  readonly keyring: Keyring;
  readonly estateCalls: EstateCallers;
  readonly access: RehearsalAccess;
  /** The faults that strike a call before an application gets it. */
  readonly faults: Pick<Faults, 'strikeToken'>;
  readonly clients: OAuthClients;
  readonly accessTokens: AccessTokens;
  readonly revocations: Revocations;
  /** Called with the rehearsal of every API request. */
  readonly noteUse: (rehearsal: string) => void;
  /** Limit of the text of a rehearsal. At it, requests that may write are refused. */
  readonly worldBytes: number;
  /** The heap that has the worlds. Requests that may write are refused in rehearsals above their share. Undefined where the worlds are outside this process. */
  readonly heap: Pick<Heap, 'share'> | undefined;
  /** Limit of the body of a snapshot's upload. Default: the limit of all bodies. */
  readonly snapshotBytes: number;
  readonly isOwnHost: (host: string | undefined) => boolean;
  readonly documents: HandOver;
  /** Answers `/_control`, for credentials with the scope `control`. */
  readonly controlPlane: ControlPlane;
  /** Answers `/mcp`, for credentials with the scope `control`. */
  readonly agents: AgentEndpoint;
  readonly forwarder: Forwarder;
  /** Decides when requests in worlds with a seed begin. */
  readonly turns: Turns | undefined;
  /** Called after each exchange with an application, which records it. */
  readonly expectHops: (world: World) => void;
  /** Authenticates the gateway to the applications. */
  readonly token: string;
}
