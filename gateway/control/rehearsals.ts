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

/** Creates, resets and deletes rehearsals; each operation opens or leaves a whole world, never a part of one. */
export function createRehearsals({ worlds, seed, pepper, defaultWebhookSecret }: RehearsalsOptions) {
  const opening = new Map<string, Promise<WorldView>>();

  async function open(name: string): Promise<{ view: WorldView; plain: PlainCredentials }> {
    const { plain, stored } = mintCredentials(name, pepper);
    const webhookSecret = name === DEFAULT_REHEARSAL ? (defaultWebhookSecret ?? stored.webhookSecret) : stored.webhookSecret;
    await worlds.open(name, seed(Date.now()), { ...stored, webhookSecret });
    const view = await worlds.resolve(name);
    if (!view) throw new Problem('unknown_rehearsal', `The rehearsal "${name}" was deleted while it was created.`);
    return { view, plain };
  }

  /** The rehearsal's world; the first use of a name creates it. Requests that come together get the same one. */
  async function ensure(name: string): Promise<WorldView> {
    const found = await worlds.resolve(name);
    if (found) return found;
    const running = opening.get(name);
    if (running) return running;
    const started = open(name)
      .then(({ view }) => view)
      .finally(() => opening.delete(name));
    opening.set(name, started);
    return started;
  }

  async function create(name: string): Promise<{ view: WorldView; plain: PlainCredentials }> {
    if ((await worlds.resolve(name)) || opening.has(name)) {
      throw new Problem('rehearsal_exists', `There is a rehearsal "${name}" already; choose another name, or reset or delete it.`, {
        rehearsal: name,
      });
    }
    const started = open(name);
    opening.set(
      name,
      started.then(({ view }) => view),
    );
    try {
      return await started;
    } finally {
      opening.delete(name);
    }
  }

  async function reset(name: string): Promise<WorldView> {
    const found = await worlds.resolve(name);
    if (!found) return ensure(name);
    await worlds.open(name, seed(Date.now()), found.credentials);
    return ensure(name);
  }

  return { ensure, create, reset };
}

export type Rehearsals = ReturnType<typeof createRehearsals>;
