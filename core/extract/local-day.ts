import { type DayOrder, parseTextDate, parseUrlDate, type WrittenDate } from './date-text.ts'
import { unseenElements } from './element-kinds.ts'
import type { HtmlTree } from './html-tree.ts'
import { modifiedWords, type PublishedDate } from './published-date.ts'

/**
 * A time in UTC may lie on another calendar day than the one that the publisher's own clock showed. The address or the
 * line of the date tells, where it is a day off and some time zone explains that.
 */
export function withLocalDay(
  found: PublishedDate,
  tree: HtmlTree,
  heading: number | undefined,
  sideline: Uint8Array,
  order: DayOrder,
  url: string,
): PublishedDate {
  const utc = /T(\d\d):\d\d(?::\d\d(?:\.\d+)?)?(?:Z|\+00:00)$/.exec(found.iso)
  if (!utc || found.source === 'url' || found.source === 'text') return found
  const day = Date.parse(found.iso.slice(0, 10))
  const isLocal = (date: WrittenDate): boolean => {
    if (date.precision === 'month') return false
    const days = (Date.parse(date.iso.slice(0, 10)) - day) / 86_400_000
    return (days === -1 && +utc[1] < 12) || (days === 1 && +utc[1] >= 10)
  }
  const inAddress = parseUrlDate(url)
  if (inAddress && isLocal(inAddress)) return { ...inAddress, source: 'url' }
  // A date in the address on the same day settles it, too.
  if (inAddress && inAddress.precision !== 'month') return found
  const shown = shownNearHeading(tree, heading, sideline, order)
  return shown && isLocal(shown) ? { ...shown, source: 'text' } : found
}

const NODES_BEFORE_HEADING = 30
const NODES_AFTER_HEADING = 60

/** The first date shown in the nodes around the main heading. */
function shownNearHeading(
  tree: HtmlTree,
  heading: number | undefined,
  sideline: Uint8Array,
  order: DayOrder,
): WrittenDate | undefined {
  if (heading === undefined || sideline[heading] > 0) return undefined
  const last = Math.min(tree.nodes.length, tree.nodes[heading].end + NODES_AFTER_HEADING)
  for (let i = Math.max(0, heading - NODES_BEFORE_HEADING); i < last; i++) {
    const { tag, parent, text } = tree.nodes[i]
    if (tag !== '' || unseenElements.has(parent!.tag) || text.length > 120 || sideline[i] > 0) continue
    if (modifiedWords.test(text)) continue
    const date = parseTextDate(text, order)
    if (date) return date
  }
  return undefined
}
