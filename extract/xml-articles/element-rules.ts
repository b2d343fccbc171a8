/**
 * How an element of an article is written:
 * - `block` and `inline`: the HTML element of the rule; `text`: only its text
 * - `part`: its text, with a space between it and the elements beside it, such as the names in an address
 * - `info`: metadata of the article or of a section, of which only title, abstract and key words are shown
 * - `section`, `title`, `label`: a section with its heading, and the number before a heading, caption, item or note
 * - `formal`: a figure, table or example with a caption
 * - `sequence` and `enumeration`: parts joined by the sign of the rule; a sequence is in a line of text, an enumeration is a paragraph
 * - `citation`: the parts of a reference
 * - `note`, `xref`, `link`: a footnote, a reference inside the article, and a link to the web
 * - `drop`: not shown
 *
 * `argument` and `bracketed` are parts of commands in manual pages. The others are named like the elements of HTML, JATS or DocBook.
 */
export type ElementRole =
  | 'block'
  | 'inline'
  | 'text'
  | 'part'
  | 'info'
  | 'section'
  | 'abstract'
  | 'title'
  | 'label'
  | 'formal'
  | 'drop'
  | 'sequence'
  | 'enumeration'
  | 'citation'
  | 'list'
  | 'item'
  | 'table'
  | 'group'
  | 'rows'
  | 'row'
  | 'cell'
  | 'column'
  | 'note'
  | 'noteref'
  | 'xref'
  | 'link'
  | 'formula'
  | 'tex'
  | 'math'
  | 'code'
  | 'lines'
  | 'image'
  | 'include'
  | 'argument'
  | 'bracketed'

/** How an element is written. */
export interface ElementRule {
  role: ElementRole
  /** The name of an HTML element, or the sign of a sequence. */
  tag: string
}

/** An element that is not shown. */
export const dropped: ElementRule = { role: 'drop', tag: '' }
/** An element of which only the text is shown. */
export const textOnly: ElementRule = { role: 'text', tag: '' }
/** An element without a rule of its own, such as one of another vocabulary. */
export const part: ElementRule = { role: 'part', tag: '' }

export type ElementRules = ReadonlyMap<string, ElementRule>

/** A role, an HTML element or sign, and the names of the elements. */
export type RuleRow = readonly [role: ElementRole, tag: string, names: string]
