import { Problem } from '../../shared/catalog/problems.ts';
import { mintCredentials, type PlainCredentials } from '../../shared/simulation/credentials.ts';
import type { Snapshot, Worlds, WorldView } from '../../shared/store/ports.ts';

export const DEFAULT_REHEARSAL = 'default';

export interface RehearsalsOptions {
  readonly worlds: Worlds;
  /** The data that every world starts with, for a clock that starts now. */
  readonly seed: (now: number) => Snapshot;
  readonly pepper: string;
  /** Signs the default rehearsal's webhooks, so that a first webhook can be sent by hand; every other one gets a secret of its own. */
  readonly defaultWebhookSecret: string | undefined;
}

/**
 * Creates, resets and deletes rehearsals; each operation opens or leaves a whole world, never a part of one. Of several gateways that
 * create one together, one does.
 */
export function createRehearsals({ worlds, seed, pepper, defaultWebhookSecret }: RehearsalsOptions) {
  /** Requests that need a world together wait for one seeding. */
  const opening = new Map<string, Promise<WorldView>>();

  /** @returns the credentials, which are shown this once; undefined when there is such a rehearsal */
  async function open(name: string): Promise<PlainCredentials | undefined> {
    const { plain, stored } = mintCredentials(name, pepper);
    const webhookSecret = name === DEFAULT_REHEARSAL ? (defaultWebhookSecret ?? stored.webhookSecret) : stored.webhookSecret;
    const world = await worlds.openIf('absent', name, seed(Date.now()), { ...stored, webhookSecret });
    return world && plain;
  }

  async function opened(name: string): Promise<WorldView> {
    const view = await worlds.resolve(name);
    if (view) return view;
    throw new Problem('unknown_rehearsal', `The rehearsal "${name}" was deleted while it was created.`, { rehearsal: name });
  }

  /** The rehearsal's world; the first use of a name creates it. Requests that come together get the same one. */
  async function ensure(name: string): Promise<WorldView> {
    const found = await worlds.resolve(name);
    if (found) return found;
    const running = opening.get(name);
    if (running) return running;
    const started = open(name)
      .then(() => opened(name))
      .finally(() => opening.delete(name));
    opening.set(name, started);
    return started;
  }

  async function create(name: string): Promise<{ view: WorldView; plain: PlainCredentials }> {
    // To seed a world only to find that there is one would be a waste, and most often it is there already.
    const plain = (await worlds.resolve(name)) ? undefined : await open(name);
    if (plain) return { view: await opened(name), plain };
    throw new Problem('rehearsal_exists', `There is a rehearsal "${name}" already; choose another name, or reset or delete it.`, {
      rehearsal: name,
    });
  }

  /** Somebody may delete it meanwhile: it does not come back with the credentials that it had. */
  async function reset(name: string): Promise<WorldView> {
    const found = await worlds.resolve(name);
    if (found) await worlds.openIf('present', name, seed(Date.now()), found.credentials);
    return ensure(name);
  }

  return { ensure, create, reset };
}

export type Rehearsals = ReturnType<typeof createRehearsals>;
