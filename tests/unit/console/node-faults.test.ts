import { expect, test } from '@jest/globals';
import type { FaultInput } from '../../../shared/catalog/control/faults.ts';
import { faultWords, nodeFaults } from '../../../ui/overview/node-faults.ts';

const outage: FaultInput = { match: { application: 'payment-hub' }, fault: { kind: 'outage' } };
const slow: FaultInput = { match: { application: 'payment-hub' }, fault: { kind: 'latency', ms: 5 } };
const owners = {
  api: (api: string) => (api === 'authorize-payment-api' ? 'payment-hub' : undefined),
  event: (event: string) => (event === 'payment-authorized' ? 'payment-hub' : 'oms'),
};
type SetFault = FaultInput & { readonly hits?: number };
const at = (id: string, inForce: readonly SetFault[], faults: readonly string[] = []) => nodeFaults({ id, faults }, inForce, owners);
const of = (inForce: readonly SetFault[], faults: readonly string[] = []) => at('payment-hub', inForce, faults);

test('The text of an application distinguishes a fault that is set, has struck, or has struck and is off', () => {
  expect(faultWords(of([]))).toBeUndefined();
  expect(faultWords(of([slow]))).toBe('◇ fault set');
  expect(faultWords(of([slow], ['slow']))).toBe('⚡ struck');
  expect(faultWords(of([], ['slow']))).toBe('⚡ struck, now off');
  expect(faultWords(of([outage]))).toBe('✕ down: ◇ set');
  expect(faultWords(of([outage], ['payment-hub-down']))).toBe('✕ down: ⚡ struck');
});

const late: SetFault = { match: { event: 'payment-authorized' }, fault: { kind: 'late', by: 'PT10M' } };
const lost: SetFault = { match: { webhook: 'carrier' }, fault: { kind: 'withhold' } };
const [SET, STRUCK, DOWN] = [{ isSet: true }, { isSet: true, hasStruck: true }, { isSet: true, isDown: true }];

test.each<[string, string, SetFault, object]>([
  ['is down when a fault blocks all calls to it, even before the first strike', 'payment-hub', outage, DOWN],
  ['is down when a fault drops all calls to it', 'payment-hub', { ...outage, fault: { kind: 'drop' } }, DOWN],
  ['is not down when it is slow', 'payment-hub', slow, SET],
  ['is not down when the calls of applications reach it', 'payment-hub', { ...outage, match: { ...outage.match, caller: 'outside' } }, SET],
  ['is not down when the first calls reach it', 'payment-hub', { ...outage, skip: 1 }, SET],
  ['is not down when some calls reach it', 'payment-hub', { ...outage, probability: 0.5, seed: 'monday' }, SET],
  ['has the faults of its APIs', 'payment-hub', { match: { api: 'authorize-payment-api' }, fault: { kind: 'outage' } }, SET],
  ['has no fault of another application', 'payment-hub', { match: { application: 'oms' }, fault: { kind: 'outage' } }, {}],
  ['has no fault of the events of others', 'payment-hub', { match: { event: 'order-confirmed' }, fault: { kind: 'withhold' } }, {}],
  ['has the faults of its events', 'payment-hub', late, SET],
  ['has the strikes on its events', 'payment-hub', { ...late, hits: 1 }, STRUCK],
  ['has no fault of the webhooks of others', 'payment-hub', lost, {}],
  ['has the faults of its webhooks', 'carrier-platform', lost, SET],
])('An application %s', (_what, id, fault, expected) =>
  expect(at(id, [fault])).toEqual({ isSet: false, hasStruck: false, isDown: false, ...expected }),
);
