import { clip } from '../characters/surrogates.ts'
import { collapse } from '../html/html-tree.ts'
import { localName, readXml } from '../html/xml-reader.ts'

const MAX_LABELS = 20_000
const MAX_LABEL_CHARS = 300

interface OpenElement {
  id: string | undefined
  /** True for the title or label that is read for an element around it. */
  isLabel: boolean
}

/** Returns the `xreflabel`, label or title of elements, by their ids. References without text show it. */
export function articleLabels(source: string): ReadonlyMap<string, string> {
  const labels = new Map<string, string>()
  const open: OpenElement[] = []
  /** The id whose label is read, and the text so far. */
  let target: string | undefined
  let text = ''
  readXml(source, {
    open: (written, attributes) => {
      const name = localName(written)
      const id = attributes['xml:id'] ?? attributes.id
      if (id !== undefined && attributes.xreflabel !== undefined && labels.size < MAX_LABELS)
        labels.set(id, clip(attributes.xreflabel, MAX_LABEL_CHARS))
      const isLabel = target === undefined && /^(?:label|title|article-title|refentrytitle)$/.test(name)
      if (isLabel) {
        // The title may be in a caption, or in the metadata of a section.
        const owner = open.findLast((one, at) => one.id !== undefined || at < open.length - 3)
        if (owner?.id !== undefined && !labels.has(owner.id) && labels.size < MAX_LABELS) target = owner.id
        text = ''
      }
      open.push({ id, isLabel: isLabel && target !== undefined })
    },
    close: () => {
      if (!open.pop()?.isLabel || target === undefined) return
      labels.set(target, collapse(text))
      target = undefined
    },
    text: part => {
      if (target !== undefined && text.length < MAX_LABEL_CHARS) text += clip(part, MAX_LABEL_CHARS)
    },
  })
  return labels
}
