/**
 * Characters that move, hide or break what stands around them: controls, the bidirectional controls of Unicode (UAX #9, table 4), line
 * separators, zero-width and other ignorable characters. Joiners and variation selectors stay, because scripts and emoji need them.
 */
const HIDDEN =
  /[\p{Cc}\p{Zl}\p{Zp}\u{ad}\u{61c}\u{180e}\u{200b}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2060}-\u{206f}\u{feff}\u{fff9}-\u{fffb}\u{e0000}-\u{e007f}]+/gu

/** Returns a text of a stranger, such as a title, on one line and without characters that could forge the text beside it. */
export function visibleText(text: string): string {
  return text.replace(HIDDEN, between => (/[\t-\r\u{85}\p{Zl}\p{Zp}]/u.test(between) ? ' ' : '')).trim()
}

/** Letters, marks, digits, punctuation and symbols that can be seen. U+2800 is an empty pattern of Braille. */
const SEEN = /^(?![\p{Default_Ignorable_Code_Point}\u{2800}])[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u
const ESCAPED = /(?:%[89a-f][0-9a-f])+/gi

/**
 * Returns the path and query of a URL for a reader: letters of other scripts in place of their escapes (RFC 3987, 3.2), everything that
 * cannot be seen as its escape. Returns '' for the root of a site, and a text that is no URL as {@link visibleText} does.
 */
export function pathOf(url: string): string {
  if (!URL.canParse(url)) return visibleText(url)
  const { pathname, search } = new URL(url)
  return readable(pathname + search).replace(/^\/$/, '')
}

/** Returns a URL for a reader, like {@link pathOf}. Its host stays in ASCII. */
export function visibleUrl(url: string): string {
  return URL.canParse(url) ? readable(new URL(url).href) : visibleText(url)
}

function readable(escaped: string): string {
  return escaped.replace(ESCAPED, escapes => {
    try {
      return [...decodeURIComponent(escapes)].map(each => (SEEN.test(each) ? each : encodeURIComponent(each))).join('')
    } catch {
      // An escape that is no UTF-8 stays as it is.
      return escapes
    }
  })
}
