import { describe, expect, it } from 'vitest'
import { overridesOf, usageMeta } from '../../../../transports/mcp/tools/tool.ts'

describe('the overrides of a request', () => {
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
  ])('accepts the valid part of %j and ignores the rest', (given, taken) => {
    expect(overridesOf({ 'service/overrides': given })).toEqual(taken)
  })

  it('may be absent', () => {
    expect([overridesOf(undefined), usageMeta(undefined)]).toEqual([{}, {}])
  })
})
