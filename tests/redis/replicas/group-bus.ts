import type { Application } from '../../../shared/catalog/applications.ts';
import { digest } from '../../../shared/domain/ids.ts';
import type { Bus, Deliver } from '../../../shared/events/bus.ts';
import { createMemoryBus } from '../../../shared/events/memory-bus.ts';

export interface GroupBus extends Bus {
  /** Refuses events, like an unreachable broker. */
  interrupt(): void;
  resume(): void;
  /** All published events, including duplicates. */
  readonly published: readonly string[];
}

/** The bus in memory with consumer groups: replicas share the events by key, and take over the share of a replica that leaves. */
export function createGroupBus(): GroupBus {
  const bus = createMemoryBus();
  const groups = new Map<Application, Deliver[]>();
  const published: string[] = [];
  let interrupted = false;
  return {
    ...bus,
    published,
    interrupt: () => {
      interrupted = true;
    },
    resume: () => {
      interrupted = false;
    },
    publish: async (batch) => {
      if (interrupted) throw new Error('The bus does not answer.');
      published.push(...batch.map(({ headers }) => headers['id'] ?? ''));
      await bus.publish(batch);
    },
    subscribe: async (application, wanted, deliver) => {
      const group = groups.get(application) ?? [];
      groups.set(application, group);
      group.push(deliver);
      const leave = async (): Promise<void> => {
        const at = group.indexOf(deliver);
        if (at >= 0) group.splice(at, 1);
      };
      if (group.length > 1) return { stop: leave };
      const shared = await bus.subscribe(application, wanted, async (event) => {
        const { partitionkey } = JSON.parse(event.json) as { partitionkey: string };
        const member = group[Number.parseInt(digest(partitionkey).slice(0, 6), 16) % group.length];
        return member?.(event);
      });
      return {
        stop: async () => {
          await leave();
          if (group.length === 0) await shared.stop();
        },
      };
    },
  };
}
