import { Parser } from 'htmlparser2'

/** Maximum depth. htmlparser2 takes quadratic time in the depth. Feeds and documents are never so deep. */
const MAX_DEPTH = 256
const CHUNK_CHARS = 65_536

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
 * Reads XML to its end or to the maximum depth. The XML need not be well formed. Does not call `close` for elements
 * that are open at the end.
 */
export function readXml(source: string, { open, close, text }: XmlHandler): void {
  let depth = 0
  let done = false
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        if (!done) done = ++depth > MAX_DEPTH || open(name, attributes) === false
      },
      onclosetag: name => {
        depth--
        if (!done) close?.(name)
      },
      ontext: data => {
        if (!done) text?.(data)
      },
    },
    { xmlMode: true, lowerCaseTags: true, lowerCaseAttributeNames: true },
  )
  for (let at = 0; at < source.length && !done; at += CHUNK_CHARS) parser.write(source.slice(at, at + CHUNK_CHARS))
}
