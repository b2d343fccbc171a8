/**
 * Returns the address of the guide for a goal, which needs no proof of a wallet. A lone surrogate, which a URL can't contain,
 * becomes U+FFFD.
 */
export function guideUrl(baseUrl: string, goal: string): string {
  return `${baseUrl}/storefront/agent/guide?goal=${encodeURIComponent(goal.toWellFormed())}`
}
