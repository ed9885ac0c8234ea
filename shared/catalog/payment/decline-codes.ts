/** Reasons for which the Payment Hub declines a tender. The simulated provider adds those that its tokens name. */
export const declineCodes = {
  insufficient_funds: 'The card or gift card has less than the amount.',
  do_not_honor: 'The issuer declines without a reason.',
  provider_timeout: 'The provider did not answer for 15 minutes.',
  unknown_gift_card: 'There is no such gift card.',
  currency_not_supported: 'The gift card is in another currency.',
  unknown_redemption: 'There is no such redemption.',
  insufficient_points: 'The redemption is worth less than the amount, or it cannot pay any more.',
  redemption_not_applicable: 'The redemption was made for another order, basket or customer.',
  loyalty_unavailable:
    'The Loyalty Platform could not be reached, and nothing was spent. Only the failed payment has this code: its request is answered 503, and may be sent again.',
} as const;
