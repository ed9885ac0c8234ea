import type { Agent } from 'undici';
import type { OperationInput, OperationOutput } from '../rehearsal/call-types.ts';
import { ControlError, clientOnAgent, type EstateClient, type EstateClientOptions } from '../rehearsal/estate-client.ts';
import { comparisonWith } from '../shared/control/credentials.ts';
import { signedParts } from '../shared/control/signed-text.ts';
import { shortened } from '../shared/domain/text.ts';

/** Characters of a message to an agent. */
const LONGEST_MESSAGE = 4_000;

/** A rehearsal that an agent opened. */
export interface AgentWorld {
  /** The agent passes it to every tool. */
  readonly handle: string;
  /** Name of the rehearsal. */
  readonly name: string;
  readonly client: EstateClient;
}

type NewWorld = NonNullable<OperationInput<'create-rehearsal'>['body']>;

export interface AgentWorlds {
  /** Creates a rehearsal. @throws ControlError when the estate refuses it */
  open(body: NewWorld): Promise<AgentWorld>;
  /** @throws AgentMistake unless this agent opened the world, and the world still exists */
  find(handle: string): Promise<AgentWorld>;
  /** Keeps a world as a snapshot. It replaces none. @throws AgentMistake when the name is taken */
  keep(world: AgentWorld, name: string): Promise<Kept>;
  /** @throws AgentMistake unless this agent kept the snapshot, and it is still the same */
  findKept(handle: string): Promise<Pick<Kept, 'name' | 'client'>>;
}

/** The worlds of an agent, for one request. @param cancelled ends its calls to the estate */
export type WorldsUntil = (cancelled: AbortSignal) => AgentWorlds;

/** A snapshot that an agent kept. */
interface Kept {
  readonly handle: string;
  /** Name of the snapshot. */
  readonly name: string;
  readonly objects: number;
  readonly client: EstateClient;
}

/** Handles of snapshots begin with it, handles of worlds never do. */
const KEPT = 'kept:';

export const isKept = (handle: string): boolean => handle.startsWith(KEPT);

/** The agent used a tool wrongly. The message names the mistake and the remedy. */
export class AgentMistake extends Error {
  override readonly name = 'AgentMistake';

  constructor(message: string) {
    // It may repeat a part of the call.
    super(shortened(message, LONGEST_MESSAGE));
  }
}

/** Address and credential of the estate that an agent works on. */
export interface AgentAccess extends Pick<EstateClientOptions, 'gateway' | 'admin'> {
  /** Its connections. The caller closes them. */
  readonly agent: Agent;
}

type Created = OperationOutput<'create-rehearsal'>;

/** How the worlds of an agent are recognised. */
interface Handles {
  /** @returns the handle of a new world */
  readonly keep: (created: Created) => string;
  /** @returns undefined for an unknown handle */
  readonly recall: (handle: string) => { readonly name: string; readonly client: EstateClient; isSame(world: string): boolean } | undefined;
  /** @returns the handle of a new snapshot, without its prefix */
  readonly keepSnapshot: (name: string, digest: string) => string;
  readonly recallSnapshot: (handle: string) => { readonly name: string; isSame(digest: string): boolean };
}

/** The worlds that a session, such as a process on stdio, has opened. A handle is the name of the rehearsal. */
export function worldsOfSession({ agent, ...access }: AgentAccess): WorldsUntil {
  const opened = new Map<string, Pick<Created, 'world' | 'credentials'>>();
  const kept = new Map<string, string>();
  return (signal) =>
    worldsWith(clientOnAgent({ ...access, bearer: '', apiKey: '', signal }, agent), {
      keep: ({ name, world, credentials }) => {
        opened.set(name, { world, credentials });
        return name;
      },
      recall: (name) => {
        const known = opened.get(name);
        if (!known) return undefined;
        const { bearer, apiKey } = known.credentials;
        const client = clientOnAgent({ ...access, bearer, apiKey, rehearsal: name, signal }, agent);
        return { name, client, isSame: (world) => world === known.world };
      },
      keepSnapshot: (name, digest) => {
        kept.set(name, digest);
        return name;
      },
      recallSnapshot: (name) => ({ name, isSame: (digest) => digest === kept.get(name) }),
    });
}

interface SignedAccess extends AgentAccess {
  /** Credentials that reach the APIs of every rehearsal. */
  readonly bearer: string;
  readonly apiKey: string;
  /** Signs a world, or the name and digest of a snapshot, for the agent's credential. All gateways of an estate sign alike. */
  readonly sign: (signed: string) => string;
}

/**
 * The worlds of a credential. Gateways keep no sessions, so any of them must recognise a world: a handle is the name of the rehearsal and a
 * signature over its current world and the credential that opened it.
 */
export function worldsOfCredential({ sign, agent, ...access }: SignedAccess): WorldsUntil {
  return (signal) =>
    worldsWith(clientOnAgent({ ...access, signal }, agent), {
      keep: ({ name, world }) => `${name}.${sign(world)}`,
      recall: (handle) => {
        const parts = signedParts(handle);
        if (!parts) return undefined;
        const { content: name, signature } = parts;
        const isSigned = comparisonWith(signature);
        return { name, client: clientOnAgent({ ...access, rehearsal: name, signal }, agent), isSame: (world) => isSigned(sign(world)) };
      },
      keepSnapshot: (name, digest) => `${name}.${sign(`${name} ${digest}`)}`,
      recallSnapshot: (handle) => {
        const { content: name = '', signature = '' } = signedParts(handle) ?? {};
        const isSigned = comparisonWith(signature);
        return { name, isSame: (digest) => isSigned(sign(`${name} ${digest}`)) };
      },
    });
}

function worldsWith(outside: EstateClient, { keep, recall, keepSnapshot, recallSnapshot }: Handles): AgentWorlds {
  const snapshotOf = async (name: string) => (await outside.control('list-snapshots')).items.find((one) => one.name === name);
  return {
    open: async (body) => {
      const created = await outside.control('create-rehearsal', { body: { labels: { by: 'agent' }, ...body } });
      const handle = keep(created);
      const client = recall(handle)?.client ?? outside;
      return { handle, name: created.name, client };
    },
    find: async (handle) => {
      const known = recall(handle);
      if (!known?.isSame(await currentWorld(outside, known.name))) throw unknownWorld(handle);
      return { handle, name: known.name, client: known.client };
    },
    keep: async ({ client }, name) => {
      if (await snapshotOf(name)) throw new AgentMistake(`There is a snapshot ${name}. Choose another name.`);
      const { digest, objects } = await client.control('save-snapshot', { params: { name } });
      return { handle: `${KEPT}${keepSnapshot(name, digest)}`, name, objects, client: outside };
    },
    findKept: async (handle) => {
      const { name, isSame } = recallSnapshot(handle.slice(KEPT.length));
      const found = await snapshotOf(name);
      if (!isKept(handle) || !found || !isSame(found.digest)) {
        throw new AgentMistake(`"${handle}" is not a world that you kept, or it was deleted. Keep one with keep, and pass its handle.`);
      }
      return { name, client: outside };
    },
  };
}

/** A name may have a new owner after its rehearsal ended. The world shows it. @returns an empty text when the rehearsal does not exist */
async function currentWorld(outside: EstateClient, name: string): Promise<string> {
  try {
    return (await outside.control('read-rehearsal', { params: { name } })).world;
  } catch (error) {
    if (error instanceof ControlError && error.status === 404) return '';
    throw error;
  }
}

/** One sentence for every case, so that it does not reveal whether a foreign rehearsal exists. */
const unknownWorld = (handle: string): AgentMistake =>
  new AgentMistake(`"${handle}" is not a world that you opened, or it has ended. Open one with open_world, and pass its handle.`);
