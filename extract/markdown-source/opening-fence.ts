import { splitHeader } from './metadata-header.ts'

/** Matches a first line that would open front matter: `---` for YAML, `+++` for TOML, `{` or `;;;` for JSON, `%` for a title block. */
const fence = /^(?:(?:---(?:json)?|\+\+\+|;;;)(?=[ \t]*(?:\n|$))|\{(?=\s*["}])|%(?=[ \t\n]|$))/

/**
 * Rewrites the first line of Markdown if it would be read as front matter, without changing the meaning. Otherwise the
 * content of a page would lose text when it is exported and imported again.
 */
export function withoutOpeningFence(markdown: string): string {
  if (splitHeader(markdown)) return markdown.replace(':', '\\:')
  return markdown.replace(fence, found => (found === '---' ? '***' : `\\${found}`))
}
