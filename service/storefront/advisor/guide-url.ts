/** Returns the address of the advice without a wallet. A lone surrogate, which a URL cannot carry, becomes U+FFFD. */
export function guideUrl(baseUrl: string, goal: string): string {
  const base = baseUrl.endsWith('/') ? baseUrl.slice(0, -1) : baseUrl
  return `${base}/storefront/agent/guide?goal=${encodeURIComponent(goal.toWellFormed())}`
}
