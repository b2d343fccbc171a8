/** Matches a first line that may open front matter: `---` for YAML, `+++` for TOML. */
const fence = /^(?:---|\+\+\+)(?=[ \t]*(?:\n|$))/

/**
 * Changes Markdown that begins like front matter to Markdown with the same meaning that does not. The content of a page is added, exported
 * and imported as Markdown. Its first lines must not be read as front matter then.
 */
export function withoutOpeningFence(markdown: string): string {
  return markdown.replace(fence, found => (found === '---' ? '***' : '\\+++'))
}
