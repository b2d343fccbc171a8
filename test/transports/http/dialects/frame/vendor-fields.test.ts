import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  readVendorFields,
  refuseStrayInstants,
  type VendorFieldRules,
} from '../../../../../transports/http/dialects/frame/vendor-fields.ts'
import type { DialectWarning } from '../../../../../transports/http/dialects/frame/warning.ts'

const rules: VendorFieldRules = {
  leftOut: { images: 'left out: no images' },
  silent: ['apiKey'],
  refused: { stream: 'no streams' },
}

function read(value: unknown) {
  const warnings: DialectWarning[] = []
  const fields = readVendorFields(z.looseObject({ count: z.int().min(1).optional() }), value, {
    path: 'a.',
    rules,
    warnings,
  })
  return { fields, warnings }
}

describe('the fields of a vendor', () => {
  it('are read, left out with a warning, or ignored without one', () => {
    expect(read({ count: 2, images: true, apiKey: 'secret', more: 1 })).toMatchObject({
      fields: { count: 2 },
      warnings: [
        { path: 'a.images', message: 'left out: no images' },
        { path: 'a.more', message: 'ignored, because asof does not know this field' },
      ],
    })
  })

  it.each([[{ images: false, stream: false }], [{ images: null, more: [] }], [{ images: '', stream: undefined }]])(
    'ask for nothing in %j',
    value => {
      expect(read(value).warnings).toEqual([])
    },
  )

  it('are refused by name if asof cannot do what they ask', () => {
    expect(() => read({ stream: true })).toThrow('a.stream: no streams')
    expect(() => read({ count: 0 })).toThrow(/^a\.count: must be a whole number/)
  })

  it('that are unknown are named up to a limit, without their values', () => {
    const { warnings } = read(
      Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`x${i}\n${'y'.repeat(500)}`, 'v'])),
    )
    expect(warnings).toHaveLength(20)
    expect(JSON.stringify(warnings).length).toBeLessThan(5_000)
  })
})

describe('an instant in a place that is not read', () => {
  it.each([
    [{ snapshotAsOf: '2025' }, 'snapshotAsOf'],
    [{ contents: { snapshot_as_of: '2025' } }, 'contents.snapshot_as_of'],
    [{ queryTime: '2025' }, 'queryTime'],
    [{ 'Query-Time': '2025' }, 'Query-Time'],
    [{ list: [{ asOf: 1 }] }, 'list[0].asOf'],
    [{ AS_OF_DATE: 1 }, 'AS_OF_DATE'],
    [{ asof: 1 }, 'asof'],
  ])('is refused in %j', (value, path) => {
    expect(() => refuseStrayInstants(value, ['query_time'])).toThrow(
      `${path}: is not read here; name the instant in query_time`,
    )
  })

  it.each([
    [{ query_time: '2025' }],
    [{ has_offset: 1, class_of: 2, ofAs: 3 }],
    [{ snapshotAsOf: null }],
    [{ summary: { schema: { properties: { as_of: {} } } } }],
    [null],
    ['text'],
  ])('is not seen in %j', value => {
    expect(() => refuseStrayInstants(value, ['query_time'])).not.toThrow()
  })
})
