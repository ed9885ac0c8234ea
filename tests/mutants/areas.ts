import { clock } from './clock.ts';
import { crashes } from './crashes.ts';
import { dryRun } from './dry-run.ts';
import { escaping } from './escaping.ts';
import { events } from './events.ts';
import { idempotency } from './idempotency.ts';
import { isolation } from './isolation.ts';
import { money } from './money.ts';
import type { Mutant } from './mutant.ts';
import { stock } from './stock.ts';
import { webhooks } from './webhooks.ts';

export const areas: Readonly<Record<string, readonly Mutant[]>> = {
  money,
  stock,
  events,
  idempotency,
  isolation,
  clock,
  crashes,
  'dry run': dryRun,
  webhooks,
  escaping,
};
