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
});

test('An application is down when a fault blocks all calls to it, even before the first strike', () => {
  expect(of([outage])).toEqual({ isSet: true, hasStruck: false, isDown: true });
  expect(faultWords(of([outage]))).toBe('✕ down: ◇ set');
  expect(faultWords(of([outage], ['payment-hub-down']))).toBe('✕ down: ⚡ struck');
  expect(of([{ ...outage, fault: { kind: 'drop' } }]).isDown).toBe(true);
});

test('An application is not down while some calls reach it', () => {
  const sometimes: FaultInput = { ...outage, probability: 0.5, seed: 'monday' };
  const one: FaultInput = { match: { ...outage.match, api: 'authorize-payment-api' }, fault: { kind: 'outage' } };
  expect([slow, sometimes, one].map((fault) => of([fault]))).toEqual(Array(3).fill({ isSet: true, hasStruck: false, isDown: false }));
});

test('An application has the faults of its APIs only', () => {
  expect(of([{ match: { api: 'authorize-payment-api' }, fault: { kind: 'latency', ms: 5 } }]).isSet).toBe(true);
  expect(of([{ match: { application: 'oms' }, fault: { kind: 'outage' } }]).isSet).toBe(false);
  expect(of([{ match: { event: 'order-confirmed' }, fault: { kind: 'withhold' } }]).isSet).toBe(false);
});

test('An application has the faults of its events and webhooks, and is not down', () => {
  const late: SetFault = { match: { event: 'payment-authorized' }, fault: { kind: 'late', by: 'PT10M' } };
  expect(of([late])).toEqual({ isSet: true, hasStruck: false, isDown: false });
  expect(of([{ ...late, hits: 1 }])).toEqual({ isSet: true, hasStruck: true, isDown: false });
  const lost: SetFault = { match: { webhook: 'carrier' }, fault: { kind: 'withhold' } };
  expect(of([lost]).isSet).toBe(false);
  expect(at('carrier-platform', [lost])).toEqual({ isSet: true, hasStruck: false, isDown: false });
});
