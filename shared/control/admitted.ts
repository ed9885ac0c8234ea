import type { IncomingMessage } from 'node:http';
import type { EstateCall } from './estate-call.ts';

interface Admitted {
  readonly request: IncomingMessage;
  /** Name of the credential. */
  readonly principal: string;
  /** The body, unparsed. */
  readonly body: Buffer | undefined;
}

/** A request that the gateway has admitted to the control plane. */
export interface ControlRequest extends Admitted {
  /** The path without the query. */
  readonly path: string;
  /** Name of the rehearsal; it may not exist yet. */
  readonly rehearsal: string;
  /** The rehearsal of a credential that is bound to one. */
  readonly bound: string | undefined;
  readonly correlationId: string;
  /** Replaces the correlation id of the answer. Undefined: the client chose it. */
  readonly correlate: ((id: string) => void) | undefined;
  /** The permission of the real system that calls. Absent for other callers. */
  readonly estateCall?: EstateCall | undefined;
}

/** A request of an agent that the gateway has admitted. */
export interface AgentRequest extends Admitted {
  readonly key: string;
}
