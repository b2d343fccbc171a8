/** The named fields before the content of a WARC record or an HTTP message. Names are case-insensitive. */
export class HeaderFields {
  readonly #values = new Map<string, string>()
  #last = ''

  /** Reads a line. One that begins with white space continues the field before it; one without a colon is ignored. */
  readLine(line: string): void {
    if (/^[ \t]/.test(line)) {
      const value = this.#values.get(this.#last)
      if (value !== undefined) this.#values.set(this.#last, `${value} ${line.trim()}`.trim())
      return
    }
    const colon = line.indexOf(':')
    if (colon <= 0) return
    const value = line.slice(colon + 1).trim()
    this.#last = line.slice(0, colon).trim().toLowerCase()
    const before = this.#values.get(this.#last)
    // A repeated field is a list (RFC 9110, 5.2). Some software writes the same field twice.
    this.#values.set(this.#last, !before || before === value ? value : `${before}, ${value}`)
  }

  /** Returns the value of a field; undefined if it is missing or empty. */
  get(name: string): string | undefined {
    return this.#values.get(name.toLowerCase()) || undefined
  }
}

/** Returns a line without its line end: LF, CR LF, or CR CR LF as a file has that was written in text mode. */
export function withoutLineEnd(line: Buffer): string {
  let end = line.length
  if (line[end - 1] === 0x0a) end--
  while (end > 0 && line[end - 1] === 0x0d) end--
  return line.toString('utf8', 0, end)
}
