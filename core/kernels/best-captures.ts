import { scoreEveryMatch } from './every-match.ts'
import type { Hit } from './top-hits.ts'
import { TopKKernel } from './topk-kernel.ts'
import type { TopKQuery } from './topk-query.ts'

/**
 * Finds the k best captures, best first; their scores are in fixed-point units. The kernel reads the lists in the arena of the cache. If
 * they do not all fit there, it reads copies in another arena.
 *
 * @throws ASOF_STORE_CORRUPT - a list is damaged.
 */
export function bestCaptures(query: TopKQuery): Hit[] {
  const [view] = query.views
  if (!view) return []
  const { arena } = view.segment
  return (
    (arena && TopKKernel.over(arena)?.search(query)) ??
    TopKKernel.forOne(query)?.search(query) ??
    scoreEveryMatch(query)
  )
}
