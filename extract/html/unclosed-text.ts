/** An element in whose text tags have no meaning, and that has no end tag. */
export interface UnclosedText {
  tag: string
  /** The offset after its start tag. */
  start: number
}

/**
 * Inserts the end tag of an element that would take the rest of the page as its text. A title or text area ends before the next tag, and
 * any other element right after its start tag. Browsers show nothing after such an element, which is a mistake: `<title/>` in a page that
 * was written as XHTML.
 */
export function closeUnclosedText(source: string, { tag, start }: UnclosedText): string {
  const next = tag === 'title' || tag === 'textarea' ? source.indexOf('<', start) : start
  const end = next < 0 ? source.length : next
  return `${source.slice(0, end)}</${tag}>${source.slice(end)}`
}
