/** Fields of a capture that have another name in a line to import, by the name in code. */
const lineNames: Readonly<Record<string, string>> = {
  publishedAt: 'published_at',
  acquiredAt: 'acquired_at',
  removedAt: 'removed_at',
  seenAt: 'seen_at',
  unchangedSince: 'unchanged_since',
  aliasedAt: 'aliased_at',
  contentType: 'content_type',
  siteName: 'asof.siteName',
  publishedFrom: 'asof.publishedFrom',
}

/** A name in a message of the engine. After a dot it is a name of the caller, such as `fields.seenAt`. */
const names = new RegExp(`(?<![\\w.])(?:${Object.keys(lineNames).join('|')})\\b`, 'g')

/** Writes a message of the engine with the names of fields as in a line to import. What it quotes from the caller stays. */
export function inLineNames(message: string): string {
  const parts = message.split(/("[^"]*")/)
  return parts.map((part, i) => (i % 2 === 1 ? part : part.replace(names, name => lineNames[name] ?? name))).join('')
}
