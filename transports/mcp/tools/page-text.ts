import { type FetchResponse, printable, printableLine } from '../../../service/index.ts'
import { quoteUntrusted, untrustedNote } from './untrusted-text.ts'

/** The part of a page that is shown. */
export interface ShownPart {
  /** Index of the first shown character of the content, in code points. */
  startIndex: number
  /** Index of the first character after the shown part. Undefined if the content ends there. */
  nextIndex: number | undefined
  /** True if the content answers a prompt. */
  prompted: boolean
}

/** Returns the note that the content was cut, and how to read the next part. */
function cutNote({ startIndex, nextIndex, prompted }: ShownPart & { nextIndex: number }): string {
  const end = `Cut after ${nextIndex - startIndex} characters`
  return prompted
    ? `${end}. To read on, call again with a larger max_chars.`
    : `${end}; the page continues. To read on, call again with start_index=${nextIndex}, or with a prompt that asks for the part you need.`
}

function continuation({ startIndex }: ShownPart, content: string): string {
  return content === ''
    ? `The content ends before character ${startIndex}: there is nothing more to read.`
    : `Continued at character ${startIndex}:`
}

/**
 * Returns a page as text for a model: its title, URL, dates and Markdown, and how to read the next part if the content was cut.
 */
export function pageText(
  { url, title, author, published_at, acquired_at, fields, content }: FetchResponse,
  part: ShownPart,
  boundary: string,
): string {
  const by = [
    author && `by ${printableLine(author)}`,
    published_at && `published ${published_at}`,
    // The time has milliseconds. Without them, a model that sends it as `query_time` would get the version before.
    acquired_at && `indexed ${acquired_at}`,
  ]
  const facts = by.filter(part => part).join(', ')
  const head = [printableLine(title) || '(untitled)', printableLine(url)]
  if (facts !== '') head.push(facts)
  if (fields !== undefined) head.push(`fields: ${printableLine(JSON.stringify(fields))}`)
  const lines: string[] = []
  if (part.prompted) lines.push('The answer of the page to the prompt:')
  if (part.startIndex > 0) lines.push(continuation(part, content))
  lines.push(untrustedNote, quoteUntrusted(`${head.join('\n')}\n\n${printable(content)}`, boundary))
  if (part.nextIndex !== undefined) lines.push(cutNote({ ...part, nextIndex: part.nextIndex }))
  return lines.join('\n')
}
