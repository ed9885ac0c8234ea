import { putMember as putMemberCall } from '../../../shared/catalog/loyalty/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { checkDigit } from '../../../shared/domain/barcode.ts';
import { digest } from '../../../shared/domain/ids.ts';
import { again, handle } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { standingAt } from '../account/ledger.ts';
import { accounts } from '../collections.ts';

export const putMember = handle(putMemberCall)(async ({ params: { customerId }, body: { cardNumber } }, { work }) => {
  const existing = await work.findUnique(accounts, 'customer', customerId);
  if (existing) {
    if (cardNumber === undefined || cardNumber === existing.cardNumber) return again(existing);
    throw new Problem('already_enrolled', `The customer "${customerId}" is already a member, with the card ${existing.cardNumber}.`, {
      objectType: 'loyalty-account',
      id: existing.id,
    });
  }
  const id = work.id('loy');
  return work.revise(accounts, undefined, {
    id,
    customerId,
    cardNumber: await findFreeCard(work, id, cardNumber),
    pointsBalance: 0,
    lifetimePoints: 0,
    ...standingAt(0),
    entryCount: 0,
    entries: [],
  });
});

/** Card numbers and account ids share one lookup, so a card must not equal another member's account id either. */
async function findFreeCard(work: UnitOfWork, accountId: string, requested: string | undefined): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    const card = requested ?? newCardNumber(accountId, attempt);
    const holder = (await work.findUnique(accounts, 'card', card)) ?? (await work.get(accounts, card));
    if (!holder) return card;
    if (requested !== undefined) {
      throw new Problem('already_enrolled', `The card ${requested} belongs to another member; choose another card, or leave it out.`, {
        objectType: 'loyalty-account',
        id: holder.id,
        cardNumber: requested,
      });
    }
  }
}

/** GS1 prefix for use within a company, so that no product has the same code. */
const PREFIX = '2990001';
const DIGITS = 5;

/** A number that a till scans as EAN-13, derived from the account for reruns. @param attempt raised while another member has the number */
function newCardNumber(accountId: string, attempt: number): string {
  const drawn = Number.parseInt(digest('card-number', accountId, String(attempt)).slice(0, 12), 16) % 10 ** DIGITS;
  const payload = PREFIX + String(drawn).padStart(DIGITS, '0');
  return payload + checkDigit(payload);
}
