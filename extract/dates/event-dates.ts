import { isNamed } from '../html/class-evidence.ts'
import { WordGroup } from '../html/element-name.ts'
import { type HtmlNode, type HtmlTree, textOf } from '../html/html-tree.ts'
import { mayHoldDate } from '../written-dates/date-text.ts'
import { dateWords } from './date-names.ts'
import { modifiedWords, publishedWords } from './published-date.ts'

/** Words in classes and ids of dates of events. */
const eventNames = new WordGroup('event events deadline expiry expires due birthday')

/** True if the class or id of an element means the date of an event, such as `event-date`. */
export function isNamedEvent(node: HtmlNode): boolean {
  return isNamed(node, eventNames) && isNamed(node, dateWords)
}

/** Words that say what a date is, wherever they are in the text before it. */
const eventWords =
  'deadline|expir(?:es|y|ed|ation)|valid|registration|early bird|apply by|due|born|founded|established|member since|joined|effective|' +
  'anmeldeschluss|einsendeschluss|bewerbungsschluss|annahmeschluss|bewerbungsfrist|anmeldefrist|frist|gültig|geboren|gegründet|' +
  'date limite|échéance|valable|inscriptions?|fecha límite|plazo|válid[oa]|vigente|inscripci(?:ón|ones)|' +
  'scadenza|valid[oa]|iscrizioni|prazo|validade|inscriç(?:ão|ões)|sluitingsdatum|geldig|срок|действ\\p{L}+|締切|締め切り|有効期限|截止|有效期'
/** Words that say what a date is only if they are the last words before it. */
const lastWords =
  'until|till|to|since|opens?|opening|closes?|closing|starts?|starting|begins?|ends?|ending|held|through|when|next meeting|event|event date|start date|end date|' +
  'seit|bis|beginn|ende|eröffnung|depuis|jusqu.au|ouverture|clôture|début|desde|hasta|apertura|cierre|inicio|fino al|dal|inizio|chiusura|até|início|' +
  'encerramento|sinds|tot|начало|окончание'
const label = new RegExp(
  `(?<!\\p{L})(?:${eventWords})(?!\\p{L})|(?<!\\p{L})(?:${lastWords})(?!\\p{L})\\s*(?:(?:on|at|am|vom|the|el|le)\\s*)?[:：–—-]?\\s*(?:\\p{L}{3,10}\\.?,?\\s*)?$`,
  'iu',
)
const MAX_LABEL_CHARS = 60
const MAX_LABEL_NODES = 6
const MAX_LEVELS = 6

/**
 * True if the text before a date, in its line or in the cell or term before it, says that it is the date of something else than the
 * page: `Deadline: 12 March 2024`, `Since 2019`.
 */
export function isLabeledEvent(tree: HtmlTree, node: HtmlNode): boolean {
  const own = node.tag === '' ? node.text : textOf(tree, node, 200)
  const inside = own.slice(0, Math.max(0, own.search(/\d/))).slice(-MAX_LABEL_CHARS)
  const text = /\p{L}{2}/u.test(inside.replace(/\p{L}+\.?,?\s*$/u, ''))
    ? inside
    : `${labelBefore(tree, node)} ${inside}`
  return label.test(text.trimEnd()) && !publishedWords.test(text) && !modifiedWords.test(text)
}

/**
 * Returns the text before a node in its block. In a cell of a table or in a description, returns the text of the cell or term before it.
 */
function labelBefore(tree: HtmlTree, node: HtmlNode): string {
  let cell: HtmlNode | undefined = node
  for (let level = 0; cell && level < MAX_LEVELS && cell.tag !== 'td' && cell.tag !== 'dd'; level++) cell = cell.parent
  const hasTerm = cell?.tag === 'td' || cell?.tag === 'dd'
  for (let i = node.index - 1; i > 0 && i >= node.index - MAX_LABEL_NODES; i--) {
    const other = tree.nodes[i]!
    if (other.tag === '' && other.text.trim() !== '')
      return other.text.length > 4 * MAX_LABEL_CHARS ? '' : other.text.trimEnd().slice(-MAX_LABEL_CHARS)
    // Text before the start of the block is on another line.
    if (other.kind.isBlock && !hasTerm && isAncestor(other, node)) return ''
    if (other.kind.isBlock && hasTerm && !isAncestor(other, node) && !/^(?:td|th|dt|p|div)$/.test(other.tag)) return ''
  }
  return ''
}

function isAncestor(node: HtmlNode, of: HtmlNode): boolean {
  return node.index < of.index && of.index < node.end
}

const MAX_ITEMS = 30
const MIN_OTHERS = 1
const MAX_ITEM_NODES = 60
/** Minimum length of the text of an item with more than a date: if the date is in the text, and if it is in a `<time>`. */
const MIN_TEXT = 20
const MIN_TEXT_WITH_TIME = 12

/**
 * True if a date is in an item of a list, or in a row of a table, and another item or row has a date too. Such dates are those of events or
 * of other pages.
 */
export function isListed(tree: HtmlTree, node: HtmlNode): boolean {
  let item: HtmlNode | undefined = node
  for (let level = 0; item && level < MAX_LEVELS && item.tag !== 'li' && item.tag !== 'tr'; level++) item = item.parent
  const list = item?.parent
  if (item === undefined || list === undefined || (item.tag !== 'li' && item.tag !== 'tr')) return false
  if (!isDatedItem(tree, item)) return false
  let others = 0
  let seen = 0
  for (let i = list.index + 1; i < list.end && seen < MAX_ITEMS && others < MIN_OTHERS; seen++) {
    const other: HtmlNode = tree.nodes[i]!
    if (other !== item && other.tag === item.tag && isDatedItem(tree, other)) others++
    i = Math.max(other.end, i + 1)
  }
  return others >= MIN_OTHERS
}

function isDatedItem(tree: HtmlTree, item: HtmlNode): boolean {
  if (item.end - item.index > MAX_ITEM_NODES) return false
  const text = textOf(tree, item, 240)
  let hasTime = false
  for (let i = item.index + 1; i < item.end; i++) hasTime ||= tree.nodes[i]!.tag === 'time'
  if (hasTime ? text.length < MIN_TEXT_WITH_TIME : text.length < MIN_TEXT || !mayHoldDate(text)) return false
  return !publishedWords.test(text) && !modifiedWords.test(text)
}

/** Matches the heads of columns of a table about the page itself: about its authors or versions. */
const ownColumns = /author|editor|written|\bby\b|autor|verfasser|auteur|version|revision|status/i
const MAX_HEAD_NODES = 60

/**
 * True if a date is in the first row below the column heads of a table. It is then the date of what the row is about, such as a price.
 * False in a table of the versions or authors of the page. {@link isListed} is for tables with several dates.
 */
export function isInColumn(tree: HtmlTree, node: HtmlNode): boolean {
  let row: HtmlNode | undefined = node
  for (let level = 0; row && level < MAX_LEVELS && row.tag !== 'tr'; level++) row = row.parent
  let table = row?.parent
  if (row?.tag !== 'tr' || table === undefined) return false
  if (table.tag !== 'table') table = table.parent
  if (table?.tag !== 'table') return false
  let heads = 0
  let i = table.index + 1
  const end = Math.min(row.index, i + MAX_HEAD_NODES)
  for (; i < end && tree.nodes[i]!.tag !== 'td'; i++) if (tree.nodes[i]!.tag === 'th') heads++
  if (heads < 2 || i < end) return false
  const head = textOf(tree, tree.nodes[table.index]!, 400).slice(0, 400).split(/\d{4}/, 1)[0]!
  return !ownColumns.test(head) && !publishedWords.test(head) && !modifiedWords.test(head)
}
