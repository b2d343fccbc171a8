/**
 * What an element of an article is to a reader:
 * - `block` and `inline`: the HTML element of the rule; `text`: only its text
 * - `part`: its text, apart from that of the elements beside it, such as the names in an address
 * - `info`: what is said about the article or a section, of which title, abstract and key words are shown
 * - `section`, `title`, `label`: a section with its heading, and the number before a heading, caption, item or note
 * - `formal`: a figure, table or example with a caption
 * - `sequence` and `enumeration`: parts joined by the sign of the rule, in a text and in a paragraph; `citation`: the parts of a reference
 * - `note`, `xref`, `link`: a footnote, a reference inside of the article, and one to the web
 * - `drop`: not shown
 *
 * The others are named like their HTML elements.
 */
export type Role =
  | ('block' | 'inline' | 'text' | 'part' | 'info' | 'section' | 'abstract' | 'title' | 'label' | 'formal' | 'drop')
  | (
      | 'sequence'
      | 'enumeration'
      | 'citation'
      | 'list'
      | 'item'
      | 'definition'
      | 'table'
      | 'group'
      | 'rows'
      | 'row'
      | 'cell'
      | 'column'
    )
  | (
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
    )

/** How an element is written. */
export interface ElementRule {
  role: Role
  /** The name of an HTML element, or the sign of a sequence. */
  tag: string
}

export type ElementRules = ReadonlyMap<string, ElementRule>

/** A role, an HTML element or sign, and the names of the elements. */
export type RuleRow = readonly [role: Role, tag: string, names: string]
