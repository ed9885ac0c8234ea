import type { Configuration } from '../../estate/configuration.ts';
import { loadEstateCode } from '../estate-code.ts';
import { type Finding, note, ok, problem } from './finding.ts';

export async function infrastructureFindings(configuration: Configuration): Promise<readonly Finding[]> {
  const { infrastructureTrouble } = await loadEstateCode();
  const { redis, kafka } = await infrastructureTrouble(configuration);
  return [finding('Redis', 'REDIS_URL', 'state stays in memory', redis), finding('Kafka', 'KAFKA_BROKERS', 'events stay in memory', kafka)];
}

function finding(what: string, variable: string, without: string, looked: { readonly trouble: string | undefined } | undefined): Finding {
  if (looked === undefined) return note(what, `${variable} is not set: ${without}`);
  const { trouble } = looked;
  if (trouble === undefined) return ok(what, 'answers');
  const found = trouble.replace(/^(redis|kafka): /, '');
  return problem(what, found.charAt(0).toUpperCase() + found.slice(1), `Start it, or correct or remove ${variable}.`);
}
