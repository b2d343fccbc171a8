import { clip } from './characters/surrogates.ts'
import { type ExtractedPage, pageOf } from './extracted-page.ts'
import { type Feed, type FeedEntry, feedListing, MAX_FEED_ENTRIES } from './feed-listing.ts'
import { collapse } from './html/html-tree.ts'
import { codeBlock } from './markdown/markdown-escape.ts'
import { prettyJson } from './structured/exact-json.ts'
import { isItem } from './structured/json-ld.ts'

const MAX_TITLE_CHARS = 300
const MAX_FIELD_CHARS = 20_000

/**
 * Extracts a JSON body. A JSON Feed becomes a list of its entries. Other JSON becomes a formatted code block. Invalid
 * JSON becomes a code block without changes.
 */
export function extractJson(source: string, options: { url: string }): ExtractedPage {
  let text = source.trim()
  let title: string | undefined
  try {
    const value: unknown = JSON.parse(text)
    const feed = feedOf(value)
    if (feed) return feedListing(feed, options.url)
    const pretty = prettyJson(text)
    // The indentation of deeply nested values takes quadratic space. Such values are not formatted.
    if (pretty.length <= text.length * 4 + 10_000) text = pretty
    if (isItem(value)) {
      const name = value.title ?? value.name
      if (typeof name === 'string' && collapse(name) !== '') title = clip(collapse(name), MAX_TITLE_CHARS)
    }
  } catch (error) {
    // The body is not valid JSON, or too deep for the stack. It is kept as text.
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error
  }
  const markdown = text === '' ? '' : codeBlock(text, 'json').join('\n')
  return { ...pageOf(markdown), title }
}

/** Returns the feed in a JSON Feed (jsonfeed.org, versions 1 and 1.1). Undefined for other JSON. */
function feedOf(value: unknown): Feed | undefined {
  if (!isItem(value) || !Array.isArray(value.items)) return undefined
  if (typeof value.version !== 'string' || !/^https?:\/\/(?:www\.)?jsonfeed\.org\/version\//.test(value.version))
    return undefined
  const lang = textOf(value.language).slice(0, 35)
  const entries = value.items.slice(0, MAX_FEED_ENTRIES).filter(isItem).map(entryOf)
  return { head: { ...entryOf(value), date: '', summary: textOf(value.description) }, entries, lang }
}

function entryOf(item: Record<string, unknown>): FeedEntry {
  return {
    title: textOf(item.title),
    link: textOf(item.url) || permanent(textOf(item.id)) || textOf(item.external_url),
    summary: textOf(item.summary) || textOf(item.content_html) || textOf(item.content_text),
    date: textOf(item.date_published),
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? clip(value, MAX_FIELD_CHARS) : ''
}

/** Returns an `id` that is the URL of its entry, as JSON Feed recommends; '' for others. */
function permanent(id: string): string {
  return /^https?:\/\//i.test(id) ? id : ''
}
