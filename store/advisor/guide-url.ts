/**
 * Returns the address of the guide for a goal. The guide needs no proof of a wallet. A URL can't contain a lone surrogate, so
 * each becomes U+FFFD.
 */
export function guideUrl(baseUrl: string, goal: string): string {
  return `${baseUrl}/storefront/agent/guide?goal=${encodeURIComponent(goal.toWellFormed())}`
}
