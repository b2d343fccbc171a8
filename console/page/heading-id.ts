/** Number of characters of a heading that its id is made from. The time to find links grows with the square of the length. */
const MAX_CHARS = 300

/**
 * The id of a heading as GitHub makes it, so that links between documents lead there.
 *
 * @param ids - how often each id was taken on this page.
 */
export function headingId(text: string, ids: Map<string, number>): string {
  const plain = text
    .slice(0, MAX_CHARS)
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*_]/g, '')
  const slug = plain
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
  const seen = ids.get(slug) ?? 0
  ids.set(slug, seen + 1)
  return `t-${seen === 0 ? slug : `${slug}-${seen}`}`
}
