import { clip } from './characters/surrogates.ts'
import { type ExtractedPage, pageOf } from './extracted-page.ts'
import { collapse } from './html/html-tree.ts'
import { localName, readXml } from './html/xml-reader.ts'
import { escapeInline, escapeLineStart } from './markdown/markdown-escape.ts'

const MAX_TITLE_CHARS = 300

/** Elements of SVG whose text is read, each as a paragraph. */
const textTags = new Set(['title', 'desc', 'text'])

/** Reads an SVG picture: its descriptions and its texts. Returns undefined for other XML. */
export function readPicture(source: string): ExtractedPage | undefined {
  const texts: { tag: string; text: string }[] = []
  let isPicture: boolean | undefined
  let isIn = ''
  const append = (text: string): void => {
    const last = texts.at(-1)
    if (last) last.text += text
  }
  readXml(source, {
    open: name => {
      const tag = localName(name)
      isPicture ??= tag === 'svg'
      if (isIn === '' && textTags.has(tag)) {
        isIn = name
        texts.push({ tag, text: '' })
      }
      return isPicture
    },
    close: name => {
      if (name === isIn) isIn = ''
      // The parts of a text are drawn apart from each other, so a space separates them.
      else if (isIn !== '') append(' ')
    },
    text: text => {
      if (isIn !== '') append(text)
    },
  })
  if (!isPicture) return undefined
  const written = texts.map(({ tag, text }) => ({ tag, text: collapse(text) })).filter(({ text }) => text !== '')
  const [first] = written
  const title = first?.tag === 'title' ? clip(first.text, MAX_TITLE_CHARS) : undefined
  const lines = written.map(({ text }) => escapeLineStart(escapeInline(text, false)))
  return { ...pageOf(lines.join('\n\n')), title }
}
