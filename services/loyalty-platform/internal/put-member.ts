import { putMember as putMemberCall } from '../../../shared/catalog/loyalty/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { newCardNumber } from '../account/card-number.ts';
import { standingAt } from '../account/points-rules.ts';
import { accounts } from '../collections.ts';

export const putMember = handle(putMemberCall)(async ({ params: { customerId }, body: { cardNumber } }, { work }) => {
  const existing = await work.findUnique(accounts, 'customer', customerId);
  if (existing) {
    if (cardNumber === undefined || cardNumber === existing.cardNumber) return again(existing);
    throw new Problem('already_enrolled', `The customer "${customerId}" is a member already, with the card ${existing.cardNumber}.`, {
      objectType: 'loyalty-account',
      id: existing.id,
    });
  }
  const id = work.id('loy');
  return work.revise(accounts, undefined, {
    id,
    customerId,
    cardNumber: await freeCard(work, id, cardNumber),
    pointsBalance: 0,
    lifetimePoints: 0,
    ...standingAt(0),
    entries: [],
  });
});

/** Members are known by card or by account: a card that reads like somebody's account would be taken for that one. */
async function freeCard(work: UnitOfWork, accountId: string, asked: string | undefined): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    const card = asked ?? newCardNumber(accountId, attempt);
    const holder = (await work.findUnique(accounts, 'card', card)) ?? (await work.get(accounts, card));
    if (!holder) return card;
    if (asked !== undefined) {
      throw new Problem('already_enrolled', `The card ${asked} is another member's; choose another one, or leave it out.`, {
        objectType: 'loyalty-account',
        id: holder.id,
        cardNumber: asked,
      });
    }
  }
}
