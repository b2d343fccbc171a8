import type { TopKView } from '../../kernels/topk-query.ts'
import type { PostingList } from '../../segment/postings/posting-list.ts'
import type { Filter } from '../filter/filter.ts'
import type { PostingCursors } from '../postings/posting-cursor.ts'
import type { SegmentView } from '../postings/segment-view.ts'
import type { FavoredPhrases } from './favored-phrases.ts'

export function topKView(
  view: SegmentView,
  terms: readonly { list: PostingList; weight: number }[],
  { filter, cursors, favored }: { filter: Filter; cursors: PostingCursors; favored: FavoredPhrases },
): TopKView {
  const required = new Set(filter.required.map(({ list }) => list))
  const scored = terms.map(({ list, weight }) => ({ list, weight, required: required.has(list) }))
  for (const { list } of scored) required.delete(list)
  return {
    ...view,
    lists: [...scored, ...[...required].map(list => ({ list, weight: 0, required: true }))],
    cursors,
    adjacentWords: () => filter.adjacentWords(),
    published: filter.published,
    onlyScored: true,
    condition: filter.condition(),
    boost: favored.isEmpty
      ? undefined
      : { most: window => favored.maxBoost(window), of: ordinal => favored.boostOf(ordinal) },
  }
}
