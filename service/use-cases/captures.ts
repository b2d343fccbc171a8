import type { CapturesRequest, CapturesResponse } from '../contract/search-schemas.ts'
import { timestamp } from '../contract/wire-form.ts'
import type { IndexReads } from '../fair-shares/fair-index.ts'

/** Answers with a histogram of the captures of the index, and with how many captures and URLs the index has. */
export async function answerCaptures(
  { engine, sealedAt }: { engine: IndexReads; sealedAt: number | undefined },
  { max_bins }: CapturesRequest,
): Promise<CapturesResponse> {
  const [{ captures, urls }, { interval, bins }] = await Promise.all([
    engine.stats(),
    engine.captureHistogram({ maxBins: max_bins }),
  ])
  return {
    captures,
    urls,
    interval,
    bins: bins.map(bin => ({ at: timestamp(bin.at), ends_at: timestamp(bin.endsAt), captures: bin.captures })),
    sealed_at: timestamp(sealedAt),
  }
}
