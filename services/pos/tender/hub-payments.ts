import { listPayments } from '../../../shared/catalog/payment/internal.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import { PATIENCE_MS } from '../timing.ts';
import type { HubPayment } from './listed-tenders.ts';

/** Every payment of a transaction, as the Payment Hub has it now. @throws Problem `dependency_*` */
export async function paymentsOf({ call }: Pick<Scope, 'call'>, orderId: string): Promise<readonly HubPayment[]> {
  return (await call(listPayments, { query: { orderId } }, { timeoutMs: PATIENCE_MS })).items;
}
