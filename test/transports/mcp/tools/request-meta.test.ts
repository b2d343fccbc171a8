import { describe, expect, it } from 'vitest'
import { overridesOf, usageMeta } from '../../../../transports/mcp/tools/request-meta.ts'

describe('what a request carries besides its arguments', () => {
  it.each([
    [{ mode: 'realtime', skip_cache: true }, { mode: 'realtime' }],
    [{ mode: 'pro' }, { mode: 'pro' }],
    [{ mode: 'webql' }, {}],
    [{ mode: 7, skip_cache: 'maybe', other: [] }, {}],
    [{ mode: 'realtime', skip_cache: 'maybe' }, { mode: 'realtime' }],
    ['realtime', {}],
    [null, {}],
    [[], {}],
    [undefined, {}],
  ])('takes of the overrides %j what is valid, and ignores the rest', (given, taken) => {
    expect(overridesOf({ 'service/overrides': given })).toEqual(taken)
  })

  it('may be nothing at all', () => {
    expect([overridesOf(undefined), usageMeta(undefined)]).toEqual([{}, {}])
  })
})
