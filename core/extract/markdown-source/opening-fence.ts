/** A first line that may open front matter: `---` for YAML, `+++` for TOML. */
const fence = /^(?:---|\+\+\+)(?=[ \t]*(?:\n|$))/

/**
 * Markdown with the same meaning that does not begin like front matter. What was extracted from a page is added, exported and
 * imported as Markdown, and must not be taken for a file whose first lines are front matter.
 */
export function withoutOpeningFence(markdown: string): string {
  return markdown.replace(fence, found => (found === '---' ? '***' : '\\+++'))
}
