/** Names of the fields of a line, by their different names in code. */
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

/** Matches a name in a message of the engine. A name after a dot, such as `fields.seenAt`, is one that the caller chose. */
const names = new RegExp(`(?<![\\w.])(?:${Object.keys(lineNames).join('|')})\\b`, 'g')

/** Replaces the names in a message of the engine by the names of the fields of a line. Text that it quotes from the caller stays. */
export function inLineNames(message: string): string {
  const parts = message.split(/("[^"]*")/)
  return parts.map((part, i) => (i % 2 === 1 ? part : part.replace(names, name => lineNames[name] ?? name))).join('')
}
