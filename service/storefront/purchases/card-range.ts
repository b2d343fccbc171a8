/** The smallest and the largest amount in US dollars that Stripe charges, in cents. */
const MIN_CENTS = 50
const MAX_CENTS = 99_999_999

/** Returns a price in US dollars, such as `4.00`, in cents. */
export function centsOf(usd: string): number {
  return Math.round(Number(usd) * 100)
}

/** Returns true if a price in US dollars, such as `4.00`, can be paid by card. */
export function isCardPrice(usd: string): boolean {
  const cents = centsOf(usd)
  return cents >= MIN_CENTS && cents <= MAX_CENTS
}
