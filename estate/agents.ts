import { randomBytes } from 'node:crypto';
import type { Agent } from 'undici';
import { CATALOG_SCOPE, type Credential } from '../gateway/credentials.ts';
import type { AgentEndpoint } from '../gateway/gateway-parts.ts';
import manifest from '../package.json' with { type: 'json' };
import { keepSecret } from '../shared/domain/redaction.ts';
import type { Logger } from '../shared/process/logger.ts';
import { nextTurn } from '../shared/process/waiting.ts';

interface AgentsOptions {
  /** Called at the first request, because the address is known only after the gateway has started. */
  readonly gateway: () => string;
  /** Signs the handles of worlds. */
  readonly pepper: string;
  readonly agent: Agent;
  readonly log: Logger;
}

/** Agents at `/mcp`. They call APIs at the gateway of this process, with credentials that never leave the process. */
export function createAgents({ gateway, log, ...options }: AgentsOptions): { answer: AgentEndpoint; credentials: readonly Credential[] } {
  const [bearer = '', apiKey = ''] = [0, 1].map(() => randomBytes(24).toString('base64url'));
  keepSecret([bearer, apiKey]);
  const onError = (error: Error): void => log.debug({ err: error }, 'a request of an agent was refused');
  const credential = { name: 'agent', scopes: [CATALOG_SCOPE] };
  let loading: Promise<AgentEndpoint> | undefined;
  /** Loaded on first use: the start of an estate does not need it. The parts that take longest are loaded in separate turns. */
  const load = async (): Promise<AgentEndpoint> => {
    await import('@modelcontextprotocol/server');
    await nextTurn();
    await import('../rehearsal/estate-client.ts');
    await nextTurn();
    await import('../agents/tools.ts');
    await nextTurn();
    const { createAgentEndpoint } = await import('../agents/http.ts');
    return createAgentEndpoint({ ...options, version: manifest.version, gateway: gateway(), bearer, apiKey, onError });
  };
  return {
    answer: async (admitted, response) => {
      loading ??= load();
      await (await loading)(admitted, response);
    },
    credentials: [
      { ...credential, kind: 'bearer', key: bearer },
      { ...credential, kind: 'api-key', key: apiKey },
    ],
  };
}
