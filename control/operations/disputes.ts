import * as declared from '../../shared/catalog/control/operations/disputes.ts';
import { decideDispute, disputePayment } from '../../shared/catalog/payment/internal.ts';
import { operate } from '../operate.ts';

export const openDispute = operate(declared.openDispute)(async ({ params, body }, scope) =>
  scope.callFromOutside(scope, disputePayment, { params, body }),
);

export const closeDispute = operate(declared.closeDispute)(async ({ params, body }, scope) =>
  scope.callFromOutside(scope, decideDispute, { params, body }),
);
