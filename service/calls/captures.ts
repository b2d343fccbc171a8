import { capturesRequest, capturesResponse } from '../contract/search-schemas.ts'
import { timestamp } from '../contract/wire-form.ts'
import type { CallOf } from './call.ts'

/** A histogram of the captures of the index by the time at which they were acquired, and how many captures and URLs there are. */
export const capturesCall = {
  request: capturesRequest,
  response: capturesResponse,
  methods: ['GET'],
  callers: 'unnamed',
  described: {
    summary: 'Count the captures of the index by the time at which they were acquired',
    answer: 'A histogram of the captures.',
  },
  failures: [],
  run: async ({ engine, now, sealedAt }, { max_bins }) => {
    const instant = now()
    const [{ captures, urls }, { interval, bins }] = await Promise.all([
      engine.stats(),
      engine.captureHistogram({ maxBins: max_bins }),
    ])
    const counted = bins.map(bin => ({
      at: timestamp(bin.at),
      ends_at: timestamp(bin.endsAt),
      captures: bin.captures,
    }))
    return { body: { captures, urls, interval, bins: counted, sealed_at: timestamp(sealedAt) }, instant }
  },
} satisfies CallOf<typeof capturesRequest, typeof capturesResponse>
