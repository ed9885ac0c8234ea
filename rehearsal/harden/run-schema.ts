import { z } from 'zod';
import { FAMILIES, type HardenRun, VERDICTS } from './run.ts';

/** Bounds of a run that is read from a file. */
const MOST_SITES = 2_000;
export const MOST_CELLS = 20_000;
const MOST_DIFFERENCES = 50;
const LONGEST_TEXT = 4_000;

const Text = z.string().max(LONGEST_TEXT);
const Id = z.string().max(200);

const Site = z.strictObject({
  id: Id,
  kind: z.enum(['call', 'delivery', 'start']),
  label: Text,
});

const Difference = z.strictObject({ what: Text, baseline: Text, tried: Text });

const Cell = z.strictObject({
  id: Id,
  site: Id,
  family: z.enum(FAMILIES),
  misfortune: Id,
  label: Text,
  verdict: z.enum(VERDICTS).optional(),
  reason: Text.optional(),
  exitCode: z.int().optional(),
  ms: z.number().nonnegative().optional(),
  rehearsal: Id.optional(),
  differences: z.array(Difference).max(MOST_DIFFERENCES).optional(),
  finding: Id.optional(),
});

const Finding = z.strictObject({
  id: Id,
  verdict: z.enum(VERDICTS),
  site: Id,
  cells: z.array(Id).min(1).max(MOST_CELLS),
  paragraph: Text,
  remedy: Text,
  repeat: Text,
  scenario: z.string().max(400_000).optional(),
  files: z.array(Text).max(10).optional(),
  accepted: z.boolean().optional(),
});

/** The file `harden.json` of a report. */
export const hardenRunSchema: z.ZodType<HardenRun> = z.strictObject({
  version: z.literal(1),
  estate: Text,
  command: Text,
  startedAt: Text,
  ms: z.number().nonnegative(),
  seed: Text,
  patience: Text,
  state: z.enum(['none', 'url', 'before', 'container']),
  baseline: z.strictObject({ ms: z.number().nonnegative(), calls: z.int(), deliveries: z.int() }),
  sites: z.array(Site).max(MOST_SITES),
  cells: z.array(Cell).max(MOST_CELLS),
  findings: z.array(Finding).max(MOST_CELLS),
  notJudged: z.array(Text).max(100),
  endedEarly: Text.optional(),
});
