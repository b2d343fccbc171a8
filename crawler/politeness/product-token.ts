const leadingToken = /^[A-Za-z0-9_-]+/

/**
 * Returns the product token at the start of a user agent or of a User-agent line in robots.txt, in lower case: `asof`
 * for `Asof/0.1 (+https://…)`. Returns '' if there is none.
 *
 * Unlike RFC 9309 (2.2.1), a token may contain digits. Many crawlers have them in their names (`MJ12bot`, `008`), and
 * otherwise the rules for `crawler1` would apply to `crawler3`.
 */
export function productToken(text: string): string {
  return leadingToken.exec(text)?.[0].toLowerCase() ?? ''
}
