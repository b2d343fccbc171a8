import type { CitationPart } from './citation-text.ts'
import type { ElementRule } from './element-rules.ts'
import type { TableColumns } from './table-columns.ts'

/** The attributes of an element, by name. */
export type Attributes = Readonly<Record<string, string>>

/** An element of an article whose end was not read yet. */
export interface OpenElement {
  name: string
  rule: ElementRule
  attributes: Attributes
  /** Written when the element ends. */
  close: string
  /** Position of the HTML tag in the output. */
  at: number
  /** The output around an element whose own output is collected. */
  outer?: string[]
  /** The parts of a sequence or citation, and the white space between them. */
  parts: CitationPart[]
  blanks: number[]
  /** True if the element has text beside its elements. */
  hasText: boolean
  tex?: string
  /** The title and the number of a formula. */
  caption?: string
  number?: string
  /** True if the element has an image, so that other texts only say the same. */
  hasImage?: boolean
  columns?: TableColumns
  /** The list that it is, or that its items are in. */
  list?: { at: number; tag: string; last: number }
}
