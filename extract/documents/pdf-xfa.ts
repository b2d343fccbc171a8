import { collapse } from '../html/html-tree.ts'
import { escapeInline, escapeLineStart } from '../markdown/markdown-escape.ts'

/** An element of a form in XFA, as pdf.js returns it. */
export interface XfaElement {
  name?: string
  value?: unknown
  attributes?: Readonly<Record<string, unknown>>
  children?: readonly (XfaElement | null)[]
}

/** Elements inside a line of text. */
const inText = new Set(['#text', 'span', 'b', 'i', 'a', 'sup', 'sub'])
/** Elements whose children are not part of the text. A `select` shows the chosen one of its options. */
const controls = new Set(['select', 'option', 'button', 'script', 'style', 'svg'])
const MAX_ELEMENTS = 200_000

/** Returns a form as Markdown, with a rule between its pages; undefined if it has no text. */
export function formMarkdown(form: XfaElement | null, maxPages: number): string | undefined {
  const pages = (form?.children ?? []).slice(0, maxPages).map(page => (page ? pageMarkdown(page) : ''))
  const markdown = pages.filter(text => text !== '').join('\n\n---\n\n')
  return markdown === '' ? undefined : markdown
}

/** Returns the texts and values of a page, each as a paragraph, in the order of the form. */
function pageMarkdown(page: XfaElement): string {
  const texts: string[] = []
  let text = ''
  const end = () => {
    if (collapse(text) !== '') texts.push(collapse(text))
    text = ''
  }
  // `null` marks the end of an element that is a paragraph of its own.
  const open: (XfaElement | null)[] = [page]
  for (let count = 0; open.length > 0 && count < MAX_ELEMENTS; count++) {
    const element = open.pop()
    if (!element) {
      end()
      continue
    }
    const { name = '', value, attributes = {}, children = [] } = element
    if (!inText.has(name)) end()
    const shown = value ?? attributes.textContent
    if (name === 'input' && (attributes.type === 'checkbox' || attributes.type === 'radio'))
      text += attributes.checked === true ? '☒' : '☐'
    else if (name === 'input') text += String(attributes.value ?? '')
    else if (typeof shown === 'string' && attributes.type !== 'password') text += shown
    if (controls.has(name)) {
      const chosen = name === 'select' ? children.find(child => child?.attributes?.selected === true) : undefined
      if (typeof chosen?.value === 'string') text += chosen.value
      end()
      continue
    }
    if (!inText.has(name)) open.push(null)
    for (let at = children.length - 1; at >= 0; at--) if (children[at]) open.push(children[at]!)
  }
  end()
  return texts.map(line => escapeLineStart(escapeInline(line, false))).join('\n\n')
}
