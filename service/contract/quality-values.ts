/**
 * Returns the weights of the values that a header such as `Accept` or `Accept-Encoding` names (RFC 9110, 12.4.2). The values are in lower
 * case. If the header names a value twice, its first weight counts. A weight that is not a number is NaN.
 *
 * @param header - empty if the request has no such header.
 */
export function qualityValues(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(',')) {
    const [value = '', ...parameters] = part.split(';').map(text => text.trim())
    const weight = Number(parameters.find(text => text.startsWith('q='))?.slice(2) ?? 1)
    if (!weights.has(value)) weights.set(value, weight)
  }
  return weights
}

/** Returns the weight of a media type: that of the most specific range that matches it (RFC 9110, 12.5.1), or 0 if none matches. */
export function weightOfType(weights: ReadonlyMap<string, number>, type: string): number {
  const ofKind = weights.get(type) ?? weights.get(`${type.split('/', 1)[0]}/*`)
  // `*` alone is no media range in the standard, but old libraries send it.
  return ofKind ?? weights.get('*/*') ?? weights.get('*') ?? 0
}
