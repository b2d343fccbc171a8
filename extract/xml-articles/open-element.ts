import type { Attributes } from '../html/html-tree.ts'
import type { CitationPart } from './citation-text.ts'
import type { ElementRule } from './element-rules.ts'
import type { TableColumns } from './table-columns.ts'

/** An element of an article whose end was not read yet. */
export interface OpenElement {
  name: string
  rule: ElementRule
  attributes: Attributes
  /** Written when the element ends. */
  close: string
  /** Position of the HTML tag in the output, see `HtmlOutput`. */
  at: number
  /** The output before the element, if the content of the element is collected. */
  outer?: string[]
  /** The parts of a sequence or citation, and the positions of the white space between them. */
  parts: CitationPart[]
  blanks: number[]
  /** True if the element has had text between its elements. */
  hasText: boolean
  /** The TeX of a formula. */
  tex?: string
  /** The title and the number of a formula. */
  caption?: string
  number?: string
  /** True if the element has had an image. Its texts for readers who do not see the image are dropped. */
  hasImage?: boolean
  columns?: TableColumns
  /** The list that the element is, or that was written around its items. */
  list?: OpenList
}

/** A list whose end was not read yet. */
export interface OpenList {
  /** Position of its HTML tag in the output. */
  at: number
  tag: 'ol' | 'ul'
  /** Number of its last item. */
  last: number
}
