import { type FetchResponse, printable } from '../service/index.ts'
import { newBoundary, oneLine, quoteUntrusted, untrustedNote } from './untrusted-text.ts'

/** What was asked of a page, as far as its text says so. */
export interface AskedPage {
  maxChars: number
  /** Whether the content goes on after `maxChars`. */
  isCut: boolean
  prompted: boolean
}

function cutNote({ maxChars, prompted }: AskedPage): string {
  const wider = 'call again with a larger max_chars'
  return prompted
    ? `Cut at ${maxChars} characters. To read on, ${wider}.`
    : `Cut at ${maxChars} characters; the page goes on. To read on, ${wider}, or with a prompt that asks for the part you need.`
}

/** A page for a model: what it is and when it was published, then its markdown; says so when it was cut, and how to read on. */
export function pageText(
  { url, title, author, published_at, content }: FetchResponse,
  asked: AskedPage,
  boundary: string = newBoundary(),
): string {
  const by = [author && `by ${oneLine(author)}`, published_at && `published ${published_at.slice(0, 10)}`]
  const facts = by.filter(part => part).join(', ')
  const head = [oneLine(title) || '(untitled)', oneLine(url), ...(facts === '' ? [] : [facts])].join('\n')
  return [
    ...(asked.prompted ? ['What the page says to the prompt:'] : []),
    untrustedNote,
    quoteUntrusted(`${head}\n\n${printable(content)}`, boundary),
    ...(asked.isCut ? [cutNote(asked)] : []),
  ].join('\n')
}
