import { z } from 'zod';
import { defineApi } from '../define.ts';
import { exactlyOne, Id, Points, PositiveMoney } from '../shapes.ts';
import { LoyaltyAccount, Redemption } from './objects.ts';

export const getMemberBalance = defineApi({
  id: 'get-member-balance-api',
  name: 'Get Member Balance',
  summary: 'Points balance, tier and next tier threshold of a member, by account id or card number.',
  domain: 'loyalty',
  type: 'query',
  application: 'loyalty-platform',
  auth: 'bearer',
  method: 'GET',
  path: '/members/{id}/balance',
  response: LoyaltyAccount,
  problems: ['not_found', 'dependency_unavailable'],
});

export const earnPoints = defineApi({
  id: 'earn-points-api',
  name: 'Earn Points',
  summary: 'Books one point per full 1.00 of an order, once per order.',
  domain: 'loyalty',
  type: 'command',
  application: 'loyalty-platform',
  auth: 'bearer',
  method: 'POST',
  path: '/members/{id}/earn',
  request: z.strictObject({ orderId: Id, amount: PositiveMoney.describe('Goods paid otherwise than by points.') }),
  response: LoyaltyAccount,
  status: 201,
  problems: ['not_found'],
  shapes: 'our choice',
});

export const redeemPoints = defineApi({
  id: 'redeem-points-api',
  name: 'Redeem Points',
  summary: 'Turns points into a redemption that pays for a basket or an order; given back when it is not spent within 15 minutes.',
  domain: 'loyalty',
  type: 'command',
  application: 'loyalty-platform',
  auth: 'bearer',
  method: 'POST',
  path: '/members/{id}/redeem',
  request: exactlyOne(z.strictObject({ points: Points, basketId: Id.optional(), orderId: Id.optional() }), ['basketId', 'orderId']),
  response: z.object({ account: LoyaltyAccount, redemption: Redemption }),
  status: 201,
  problems: ['not_found', 'insufficient_points'],
  shapes: 'our choice',
});
