import { clip } from '../characters/surrogates.ts'
import { type ExtractWarning, unreadParts } from '../extracted-page.ts'
import { collapse } from '../html/html-tree.ts'
import { readXml } from '../html/xml-reader.ts'
import type { Relationship } from './package-parts.ts'

const MAX_PARAGRAPHS = 10_000
const MAX_PARAGRAPH_CHARS = 100_000

/** Returns the paragraphs of a part with DrawingML, such as a diagram or the text boxes of a sheet. */
export function drawingParagraphs(source: string): string[] {
  const paragraphs: string[] = []
  let text = ''
  let isText = false
  readXml(source, {
    open: name => {
      if (name === 'a:p') text = ''
      else if (name === 'a:br') text += ' '
      else if (name === 'a:t') isText = true
      return paragraphs.length < MAX_PARAGRAPHS
    },
    close: name => {
      if (name === 'a:t') isText = false
      else if (name === 'a:p' && text.trim() !== '') paragraphs.push(collapse(text))
    },
    text: part => {
      if (isText) text = clip(text + part, MAX_PARAGRAPH_CHARS)
    },
  })
  return paragraphs
}

/** Names of the parts that are not read, by the kind of the relationship that leads to them. */
const unreadKinds: Readonly<Record<string, string>> = {
  chart: 'chart',
  chartex: 'chart',
  oleobject: 'embedded object',
  package: 'embedded object',
}

/** Returns warnings of charts and objects that parts refer to. */
export function unreadDrawings(relations: Iterable<Relationship>): ExtractWarning[] {
  const counts = new Map<string, number>()
  for (const { kind } of relations) {
    const name = unreadKinds[kind]
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].flatMap(([name, count]) => unreadParts(count, name))
}
