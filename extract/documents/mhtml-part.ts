const MAX_HEADER_CHARS = 65_536
const MAX_PARTS = 200

/** A part of a MIME message, decoded. */
export interface MimePart {
  type: string
  bytes: Uint8Array
}

/**
 * Returns the first HTML part of a web archive (MHTML, RFC 2557); without one, its first text. Reads multipart messages
 * that are one level deep, as programs write them.
 */
export function pageOfMhtml(bytes: Uint8Array): MimePart | undefined {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  const { headers, body } = headersOf(source)
  const boundary = /boundary="?([^";\r\n]{1,200})/i.exec(headers.get('content-type') ?? '')?.[1]?.trim()
  const sections = boundary === undefined ? [source] : body.split(`--${boundary}`, MAX_PARTS).slice(1)
  const parts = sections.flatMap(section => {
    const part = headersOf(section.replace(/^[ \t]*\r?\n/, ''))
    const type = part.headers.get('content-type') ?? 'text/plain'
    return /^text\/(?:html|plain)|^application\/xhtml/i.test(type)
      ? { type, bytes: decoded(part.body, part.headers.get('content-transfer-encoding') ?? '') }
      : []
  })
  return parts.find(({ type }) => /html/i.test(type)) ?? parts[0]
}

function headersOf(source: string): { headers: ReadonlyMap<string, string>; body: string } {
  const head = source.slice(0, MAX_HEADER_CHARS)
  const end = /\r?\n\r?\n/.exec(head)
  if (!end) return { headers: new Map(), body: source }
  // A line that starts with a space continues the one before.
  const lines = head
    .slice(0, end.index)
    .replace(/\r?\n[ \t]/g, ' ')
    .split(/\r?\n/)
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
  }
  return { headers, body: source.slice(end.index + end[0].length) }
}

function decoded(body: string, encoding: string): Uint8Array {
  if (/^base64/i.test(encoding)) return Buffer.from(body, 'base64')
  if (!/^quoted-printable/i.test(encoding)) return Buffer.from(body, 'latin1')
  const text = body
    .replace(/=\r?\n/g, '')
    .replace(/=([\da-f]{2})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(text, 'latin1')
}
