export const eur = (amount: number) => ({ amount, currency: 'EUR' });

export const CASH = { type: 'cash' } as const;
export const card = (token = 'tok_visa') => ({ type: 'card', token }) as const;
