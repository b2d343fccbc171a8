/**
 * Number of bytes in which a declaration of the encoding is searched for. HTML 13.2.3.2 scans 1,024 bytes; if a later
 * `<meta>` declares the encoding, the parser starts again (13.2.3.5). Scanning further at first gives the same result
 * with one parse.
 */
const PRESCAN_BYTES = 65_536
/** Number of bytes scanned first, where nearly all declarations are. */
const HEAD_BYTES = 4096

/**
 * Finds the encoding that a `<meta>` element declares, by the algorithm of HTML 13.2.3.2 "prescan a byte stream to
 * determine its encoding".
 *
 * @returns a label; undefined if none is declared. Returns `utf-8` for a UTF-16 label, which must be wrong: the scan
 *   reads single bytes and could not have found it in UTF-16.
 */
export function prescanCharset(bytes: Uint8Array): string | undefined {
  const inHead = labelIn(bytes.subarray(0, HEAD_BYTES))
  if (inHead !== undefined || bytes.length <= HEAD_BYTES) return inHead
  return labelIn(bytes.subarray(0, PRESCAN_BYTES))
}

function labelIn(bytes: Uint8Array): string | undefined {
  // Decodes each byte to one character.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  return /charset/i.test(text) ? new Prescan(text).run() : undefined
}

/**
 * Returns the label after `charset=` in the `content` attribute of a meta element (HTML 2.6.4, "extracting a character
 * encoding from a meta element"). Returns undefined if the attribute has no such label.
 */
function charsetOfContent(content: string): string | undefined {
  const lower = content.toLowerCase()
  for (let at = lower.indexOf('charset'); at >= 0; at = lower.indexOf('charset', at)) {
    at += 'charset'.length
    while (isSpace(lower.charCodeAt(at))) at++
    if (lower[at] !== '=') continue
    at++
    while (isSpace(lower.charCodeAt(at))) at++
    const quote = lower[at]
    if (quote === '"' || quote === "'") {
      const end = lower.indexOf(quote, at + 1)
      return end < 0 ? undefined : lower.slice(at + 1, end)
    }
    let end = at
    while (end < lower.length && lower[end] !== ';' && !isSpace(lower.charCodeAt(end))) end++
    return end > at ? lower.slice(at, end) : undefined
  }
  return undefined
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0c || code === 0x0d
}

function isLetter(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
}

class Prescan {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  run(): string | undefined {
    const text = this.#text
    while (this.#at < text.length) {
      const open = text.indexOf('<', this.#at)
      if (open < 0) return undefined
      this.#at = open
      if (text.startsWith('<!--', open)) {
        // `<!-->` is a whole comment, whose two dashes both open and close it.
        const end = text.indexOf('-->', open + 2)
        if (end < 0) return undefined
        this.#at = end + 3
        continue
      }
      const tagStart = text[open + 1] === '/' ? open + 2 : open + 1
      if (isLetter(text.charCodeAt(tagStart))) {
        let end = tagStart
        while (end < text.length && !isSpace(text.charCodeAt(end)) && text[end] !== '>' && text[end] !== '/') end++
        const isMeta = tagStart === open + 1 && text.slice(tagStart, end).toLowerCase() === 'meta'
        this.#at = end
        const label = this.#readTag(isMeta)
        if (label !== undefined) return label
      } else if (text[open + 1] === '!' || text[open + 1] === '/' || text[open + 1] === '?') {
        const end = text.indexOf('>', open)
        if (end < 0) return undefined
        this.#at = end + 1
      } else this.#at = open + 1
    }
    return undefined
  }

  /** Reads the attributes of a tag to its end. Returns the label that a `meta` tag declares. */
  #readTag(isMeta: boolean): string | undefined {
    const seen = new Set<string>()
    let gotPragma = false
    let needPragma: boolean | undefined
    let label: string | undefined
    for (let attribute = this.#attribute(); attribute; attribute = this.#attribute()) {
      const { name, value } = attribute
      if (!isMeta || seen.has(name)) continue
      seen.add(name)
      if (name === 'http-equiv') gotPragma ||= value === 'content-type'
      else if (name === 'content' && label === undefined) {
        label = charsetOfContent(value)
        if (label !== undefined) needPragma = true
      } else if (name === 'charset') {
        label = value
        needPragma = false
      }
    }
    // An incomplete tag declares nothing.
    if (this.#at >= this.#text.length || label === undefined || needPragma === undefined) return undefined
    if (needPragma && !gotPragma) return undefined
    const trimmed = label.trim()
    if (/^(?:utf-16|utf-16le|utf-16be|unicode|ucs-2|iso-10646-ucs-2|csunicode|unicodefeff|unicodefffe)$/.test(trimmed))
      return 'utf-8'
    if (trimmed === 'x-user-defined') return 'windows-1252'
    return isEncodingLabel(trimmed) ? trimmed : undefined
  }

  /**
   * Reads one attribute and converts it to lower case (HTML 13.2.3.2, "get an attribute"). Returns undefined at the end
   * of the tag.
   */
  #attribute(): { name: string; value: string } | undefined {
    const text = this.#text
    while (isSpace(text.charCodeAt(this.#at)) || text[this.#at] === '/') this.#at++
    if (this.#at >= text.length || text[this.#at] === '>') return undefined
    const nameStart = this.#at
    while (this.#at < text.length) {
      const c = text[this.#at]
      if ((c === '=' && this.#at > nameStart) || isSpace(text.charCodeAt(this.#at)) || c === '/' || c === '>') break
      this.#at++
    }
    const name = text.slice(nameStart, this.#at).toLowerCase()
    while (isSpace(text.charCodeAt(this.#at))) this.#at++
    if (text[this.#at] !== '=') return { name, value: '' }
    this.#at++
    while (isSpace(text.charCodeAt(this.#at))) this.#at++
    const quote = text[this.#at]
    if (quote === '"' || quote === "'") {
      const end = text.indexOf(quote, this.#at + 1)
      const value = text.slice(this.#at + 1, end < 0 ? text.length : end)
      this.#at = end < 0 ? text.length : end + 1
      return { name, value: value.toLowerCase() }
    }
    const valueStart = this.#at
    while (this.#at < text.length && !isSpace(text.charCodeAt(this.#at)) && text[this.#at] !== '>') this.#at++
    return { name, value: text.slice(valueStart, this.#at).toLowerCase() }
  }
}

/** True for a label of the WHATWG Encoding Standard. */
export function isEncodingLabel(label: string): boolean {
  try {
    new TextDecoder(label)
    return true
  } catch {
    // TextDecoder throws for unknown labels. There is no other check.
    return false
  }
}
