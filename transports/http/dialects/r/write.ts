import type { ResponseOf } from '../../../../service/index.ts'
import { type DialectWarning, warningTexts } from '../frame/warning.ts'
import type { ReaderRequest } from './read.ts'

const OK = 200
const OK_CODE = 20_000

type Page = ResponseOf<'fetch'>

function warningOf({ acquired_at }: Page, warnings: readonly DialectWarning[]): string | undefined {
  const stored = acquired_at === undefined ? [] : [`This is the page as the index has it since ${acquired_at}.`]
  const all = [...stored, ...warningTexts(warnings)]
  return all.length === 0 ? undefined : all.join(' ')
}

/** Writes a page as the reader of Jina does: Markdown after lines about the page, or JSON. */
export function writeReader(page: Page, { isJson, warnings }: ReaderRequest): object | string {
  const { url, title, content, published_at: publishedTime, metadata } = page
  const warning = warningOf(page, warnings)
  if (isJson) {
    const { description } = metadata ?? {}
    return { code: OK, status: OK_CODE, data: { title, description, url, content, publishedTime, warning } }
  }
  const lines = [
    `Title: ${title}`,
    `URL Source: ${url}`,
    publishedTime === undefined ? [] : `Published Time: ${publishedTime}`,
    warning === undefined ? [] : `Warning: ${warning}`,
    `Markdown Content:\n${content}`,
  ]
  return `${lines.flat().join('\n\n')}\n`
}
