import type { ExtractedPage } from '../extracted-page.ts'
import { fieldsOf, splitFrontMatter } from './front-matter.ts'
import { mdxToMarkdown } from './mdx.ts'
import { withoutOpeningFence } from './opening-fence.ts'
import { withoutUnseenHtml } from './unseen-html.ts'

export interface MarkdownSourceOptions {
  /** True if the file is MDX. Default false. */
  mdx?: boolean
  /** The latest instant at which the file can have been acquired, as `ExtractOptions.latestAt`. */
  latestAt?: number | undefined
}

/**
 * Reads a Markdown file.
 *
 * @returns the Markdown without front matter, MDX, comments, scripts and styles, and the fields in front matter.
 */
export function readMarkdownSource(
  source: string,
  { mdx = false, latestAt }: MarkdownSourceOptions = {},
): Partial<ExtractedPage> & { markdown: string } {
  const text = source.includes('\r') ? source.replace(/\r\n?/g, '\n') : source
  const found = splitFrontMatter(text)
  const body = found?.body ?? text
  const fields = found ? fieldsOf(found.values, latestAt) : {}
  return { ...fields, markdown: withoutOpeningFence(withoutUnseenHtml(mdx ? mdxToMarkdown(body) : body)) }
}
