import { type InputOf, refusedFields } from '../../../../service/index.ts'
import { slashDate } from '../frame/slash-date.ts'

/** The units of `qdr`, and those of asof. */
const units: Readonly<Record<string, string>> = { n: 'min', h: 'h', d: 'd', w: 'w', m: 'mo', y: 'y' }
const DAYS_OF_WEEK = 7

type Published = Pick<InputOf<'search'>, 'published_after' | 'published_before' | 'sort'>

/** Returns the delta of asof for a part such as `w` or `h12`, or undefined. Filters of asof take no weeks. */
function deltaOf(text: string): string | undefined {
  const [, letter = '', count = '1'] = /^([nhdwmy])(\d{1,4})?$/.exec(text) ?? []
  const unit = units[letter]
  if (unit === undefined) return undefined
  return unit === 'w' ? `${DAYS_OF_WEEK * Number(count)}d` : `${count}${unit}`
}

/**
 * Reads `tbs`, the time filter of a search of Firecrawl: `qdr:w` for the last week, `cdr:1,cd_min:1/1/2025,cd_max:2/1/2025` for a range of dates, and
 * `sbd:1` for the newest first.
 *
 * @throws ServiceError invalid_request - it has another part.
 */
export function readPublished(tbs = ''): Published {
  const published: Published = {}
  for (const part of tbs.split(',').filter(Boolean)) {
    const [name = '', value = ''] = part.split(':')
    const date = slashDate(value)
    const delta = name === 'qdr' ? deltaOf(value) : undefined
    if (delta !== undefined) published.published_after = delta
    else if (name === 'cd_min' && date !== undefined) published.published_after = date
    else if (name === 'cd_max' && date !== undefined) published.published_before = date
    else if (name === 'sbd' && value === '1') published.sort = 'published_at:desc'
    else if (!(name === 'cdr' && value === '1') && !(name === 'sbd' && value === '0'))
      throw refusedFields('invalid_request', [
        { path: 'tbs', reason: 'must be such as qdr:w, cdr:1,cd_min:1/31/2025,cd_max:2/28/2025 or sbd:1' },
      ])
  }
  return published
}
