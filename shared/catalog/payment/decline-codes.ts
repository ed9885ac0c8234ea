/** Reasons of the Payment Hub for declining a tender. The simulated provider adds the codes of its tokens. */
export const declineCodes = {
  insufficient_funds: 'The card or gift card has less than the amount.',
  do_not_honor: 'The issuer declines without a reason.',
  provider_timeout: 'The provider did not answer for 15 minutes.',
  unknown_gift_card: 'The gift card is unknown.',
  currency_not_supported: 'The gift card is in another currency.',
  unknown_redemption: 'The redemption is unknown.',
  insufficient_points: 'The redemption is worth less than the amount, or it can no longer pay.',
  redemption_not_applicable: 'The redemption was made for another order, basket or customer.',
  loyalty_unavailable:
    'The Loyalty Platform could not be reached, and nothing was spent. Only the failed payment has this code. Its request is answered with 503 and may be repeated.',
} as const;
