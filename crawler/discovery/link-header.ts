/**
 * Returns the target of the first link with a relation in a `Link` header, or in several joined by commas (RFC 8288). A
 * link of another page (`anchor`) does not count.
 */
export function linkHeaderTarget(header: string | undefined, relation: string): string | undefined {
  const text = header ?? ''
  for (let start = text.indexOf('<'); start >= 0; ) {
    const end = text.indexOf('>', start)
    if (end < 0) return undefined
    const { parameters, next } = readParameters(text, end + 1)
    const relations = parameters.get('rel')?.toLowerCase().split(/\s+/) ?? []
    if (relations.includes(relation) && !parameters.has('anchor')) return text.slice(start + 1, end).trim()
    start = text.indexOf('<', next)
  }
  return undefined
}

/** Reads the parameters of a link up to the comma behind it. Of a repeated parameter the first one counts. */
function readParameters(text: string, from: number): { parameters: Map<string, string>; next: number } {
  const parameters = new Map<string, string>()
  const parameter = /\s*(?:;\s*([^\s=;,"]*)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?)/y
  let next = from
  for (;;) {
    parameter.lastIndex = next
    const match = parameter.exec(text)
    if (!match) return { parameters, next }
    next = parameter.lastIndex
    const [, name = '', quoted, plain = ''] = match
    const key = name.toLowerCase()
    if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(.)/g, '$1') ?? plain)
  }
}
