import type { ObjectType } from '../../rehearsal/call-types.ts';
import type { Action } from './actions.ts';
import type { ActionGroup } from './object-actions.tsx';

/** The steps that most stories take, by type of object, the furthest first: a paid order is confirmed, an unpaid one is paid. */
const STORY: Readonly<Partial<Record<ObjectType, readonly string[]>>> = {
  basket: ['take-cash', 'convert', 'checkout', 'add-line'],
  order: ['confirm', 'pay', 'route'],
  payment: ['authenticate', 'capture'],
  'fulfillment-order': ['hand-over', 'dispatch', 'pack', 'pick', 'report-start', 'start-picking'],
  shipment: ['label', 'collect', 'depart', 'out-for-delivery', 'deliver'],
  return: ['inspect', 'receive', 'approve'],
  reservation: ['confirm'],
  customer: ['open-basket'],
};

/** The possible action that the story usually takes next: of the object, or of the first part that has one. */
export function usualOf(groups: readonly ActionGroup[]): Action | undefined {
  for (const { type, actions } of groups) {
    for (const step of STORY[type as ObjectType] ?? []) {
      const found = actions.find((action) => action.step === step && action.obstacle === undefined);
      if (found) return found;
    }
  }
  return undefined;
}
