const leadingToken = /^[A-Za-z0-9_-]+/

/**
 * The product token that a user-agent string or a User-agent line of robots.txt starts with, in lower case: `asof` of
 * `Asof/0.1 (+https://…)`. '' if the text does not start with one.
 *
 * RFC 9309 (2.2.1) allows letters, `_` and `-` alone. Digits belong to the token here, because many crawlers have them in
 * their names (`MJ12bot`, `008`): without them the rules for `crawler1` would bind `crawler3`.
 */
export function productToken(text: string): string {
  return leadingToken.exec(text)?.[0].toLowerCase() ?? ''
}
