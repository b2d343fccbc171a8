const leadingToken = /^[A-Za-z0-9_-]+/

/**
 * Returns the product token that a user-agent string or a User-agent line of robots.txt starts with, in lower case: `asof`
 * of `Asof/0.1 (+https://…)`. '' if the text does not start with one.
 *
 * RFC 9309 (2.2.1) allows only letters, `_` and `-`. Here digits belong to the token too, because many crawlers have them in
 * their names (`MJ12bot`, `008`); otherwise the rules for `crawler1` would apply to `crawler3`.
 */
export function productToken(text: string): string {
  return leadingToken.exec(text)?.[0].toLowerCase() ?? ''
}
