import { decodeHTML, decodeHTMLAttribute } from 'entities'
import { Parser } from 'htmlparser2'
import { readDoctype, withEntities } from './xml-doctype.ts'

/** Maximum depth. htmlparser2 takes quadratic time in the depth. Feeds and documents are never so deep. */
const MAX_DEPTH = 256
const CHUNK_CHARS = 65_536
/** Maximum length of a character reference that the end of a chunk must not split. */
const MAX_REFERENCE_CHARS = 64

/** Callbacks for the parts of an XML document. Names are in lower case, with the namespace prefix. */
export interface XmlHandler {
  /**
   * Called for a start tag.
   *
   * @returns `false` to stop reading.
   */
  open: (name: string, attributes: Readonly<Record<string, string>>) => unknown
  close?: (name: string) => void
  text?: (text: string) => void
}

/**
 * Reads XML to its end or to the maximum depth. The XML need not be well formed. The entities that the document declares and those of HTML
 * are decoded. Does not call `close` for elements that are open at the end.
 */
export function readXml(source: string, { open, close, text }: XmlHandler): void {
  let depth = 0
  let done = false
  let isCdata = false
  const { start, end, entities } = readDoctype(source)
  const decoded = (written: string): string =>
    isCdata || !written.includes('&') ? written : decodeHTML(withEntities(written, entities))
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        if (done) return
        for (const [attribute, value] of Object.entries(attributes))
          if (value.includes('&')) attributes[attribute] = decodeHTMLAttribute(withEntities(value, entities))
        done = ++depth > MAX_DEPTH || open(name, attributes) === false
      },
      onclosetag: name => {
        depth--
        if (!done) close?.(name)
      },
      ontext: data => {
        if (!done) text?.(decoded(data))
      },
      oncdatastart: () => {
        isCdata = true
      },
      oncdataend: () => {
        isCdata = false
      },
    },
    { xmlMode: true, lowerCaseTags: true, lowerCaseAttributeNames: true, decodeEntities: false },
  )
  const parts = end === 0 ? [source] : [source.slice(0, start), source.slice(end)]
  for (const part of parts)
    for (let at = 0; at < part.length && !done; ) {
      const chunk = part.slice(at, chunkEnd(part, at))
      parser.write(chunk)
      at += chunk.length
    }
}

/** Returns the name of an element or attribute without its prefix. Some programs write `x:row` for `row`. */
export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

/** Returns the end of the chunk that begins at an offset. */
function chunkEnd(source: string, at: number): number {
  const end = at + CHUNK_CHARS
  const reference = source.lastIndexOf('&', end - 1)
  return end < source.length && reference > end - MAX_REFERENCE_CHARS ? reference : end
}
