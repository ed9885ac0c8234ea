import { applicationNames } from '../shared/catalog/applications.ts';
import type { OwnListener } from '../shared/http/outbound.ts';
import type { Configuration } from './configuration.ts';
import { listenersAt } from './listeners-at.ts';

/** The listeners of the estate, its store and its broker included. @param more the URLs of further listeners of this process */
export function ownListeners(
  { REDIS_URL = '', KAFKA_BROKERS = [], addressOf }: Pick<Configuration, 'REDIS_URL' | 'KAFKA_BROKERS' | 'addressOf'>,
  more: readonly string[],
): readonly OwnListener[] {
  const nodes = REDIS_URL.replace(/^cluster:/, '')
    .split(',')
    .filter((node) => node !== '');
  return listenersAt([...applicationNames.map(addressOf), ...nodes.map((node) => node.trim()), ...KAFKA_BROKERS, ...more]);
}
