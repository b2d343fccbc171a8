import { markedUpPage } from './documents/marked-up-page.ts'
import { invalidOption, optionsReader } from './errors/options.ts'
import { shown } from './errors/shown-value.ts'

/** The options of {@link htmlToMarkdown}. */
export interface HtmlToMarkdownOptions {
  /** The base of relative links, an absolute URL. Default: relative links become text. */
  url?: string
}

const readOptions = optionsReader<HtmlToMarkdownOptions>({ url: 'string' })

/**
 * Converts HTML to Markdown, in the calling thread: all that a reader of the HTML sees. Unlike `extractPage`, it does not choose the
 * content of a page, so that nothing is lost of a part of a page, a mail or a document.
 *
 * @param html - a page or a part of one.
 * @returns Markdown; '' if there is nothing to see.
 * @throws ASOF_INVALID_OPTION - an unknown option, or one of another type; `html` is no string; or `url` is not an absolute URL.
 */
export function htmlToMarkdown(html: string, options?: HtmlToMarkdownOptions): string {
  if (typeof html !== 'string') throw invalidOption('html', `must be a string, not ${shown(html)}`)
  const { url } = readOptions(options)
  if (url !== undefined && !URL.canParse(url))
    throw invalidOption('url', `is ${shown(url)}; it must be an absolute URL`)
  return markedUpPage(html, url).markdown
}
