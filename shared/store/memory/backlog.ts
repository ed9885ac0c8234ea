import type { Application } from '../../catalog/applications.ts';
import type { OutboxBacklog, WorldsBacklog } from '../ports/backlog.ts';
import type { OutboxEntry } from '../ports/outbox.ts';
import { nowOf, type WorldState } from './state.ts';

export function outboxBacklog(application: Application, worlds: Iterable<WorldState>): OutboxBacklog {
  let events = 0;
  let oldestAt = Number.POSITIVE_INFINITY;
  for (const { applications } of worlds) {
    const outbox = applications.get(application)?.outbox ?? new Map<string, OutboxEntry>();
    const [oldest] = outbox.values();
    events += outbox.size;
    oldestAt = Math.min(oldestAt, oldest?.committedAt ?? oldestAt);
  }
  return { events, oldestAt: Number.isFinite(oldestAt) ? oldestAt : undefined };
}

export function worldsBacklog(worlds: Iterable<WorldState>): WorldsBacklog {
  const counts = { rehearsals: 0, pending: 0, overdue: 0, running: 0, scheduled: 0, withheld: 0, parked: 0 };
  for (const world of worlds) {
    const [now, wall] = [nowOf(world), Date.now()];
    counts.rehearsals += 1;
    counts.pending += world.pending.size;
    counts.parked += world.parked.size;
    for (const { item, lease } of world.due.records()) {
      if (lease && wall < lease.until) counts.running += 1;
      else if (item.withheldBy !== undefined) counts.withheld += 1;
      else if (item.at <= now) counts.overdue += 1;
      else counts.scheduled += 1;
    }
  }
  return counts;
}
