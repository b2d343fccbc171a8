import { Parser } from 'htmlparser2'

/** htmlparser2's stack costs time quadratic in depth; nothing that is read here nests this deep. */
const MAX_DEPTH = 256
const CHUNK_CHARS = 65_536

/** What is told of an XML document; names in lower case, a namespace's prefix included. */
export interface XmlHandler {
  /** @returns `false` to end the reading. */
  open: (name: string, attributes: Readonly<Record<string, string>>) => unknown
  close?: (name: string) => void
  text?: (text: string) => void
}

/** Reads XML from its start as far as it is sound; what an unclosed document has told so far is what there is. */
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
