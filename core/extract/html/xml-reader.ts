import { Parser } from 'htmlparser2'

/** Maximum depth. htmlparser2's stack takes quadratic time in the depth, and feeds and documents never nest this deep. */
const MAX_DEPTH = 256
const CHUNK_CHARS = 65_536

/** Callbacks for the parts of an XML document. Names are in lower case and include the namespace prefix. */
export interface XmlHandler {
  /** @returns `false` to stop reading. */
  open: (name: string, attributes: Readonly<Record<string, string>>) => unknown
  close?: (name: string) => void
  text?: (text: string) => void
}

/**
 * Reads XML up to its end or to the maximum depth, whether it is well formed or not. Elements that are then still open are not reported as
 * closed.
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
