import { expect, it } from 'vitest'
import { readReader } from '../../../../../transports/http/dialects/r/read.ts'
import { writeReader } from '../../../../../transports/http/dialects/r/write.ts'

const requestedAt = Date.UTC(2025, 5, 1)
const read = (headers: Record<string, string> = {}) =>
  readReader({ id: 'r', requestedAt, fields: { ...headers, url: 'https://a.example/' } })

it('a request of the reader is for a page of the index, as text', () => {
  expect(read({ accept: '*/*', 'user-agent': 'curl', 'x-timeout': '3' })).toEqual({
    url: 'https://a.example/',
    isJson: false,
    seenSince: undefined,
    warnings: [],
  })
  expect(read({ accept: 'application/json' }).isJson).toBe(true)
})

it('it may ask for a page that was seen recently, or for that of now', () => {
  expect(read({ 'x-cache-tolerance': '60' }).seenSince).toBe(requestedAt - 60_000)
  expect(read({ 'x-no-cache': 'true' }).seenSince).toBe(requestedAt)
  expect(read({ 'x-no-cache': 'false' }).seenSince).toBeUndefined()
})

it.each(['x-target-selector', 'x-wait-for-selector', 'x-proxy-url', 'x-json-schema', 'accept-datetime', 'x-as-of'])(
  'the header %s is refused',
  name => {
    expect(() => read({ [name]: 'a' })).toThrow(new RegExp(`^${name}: `))
  },
)

it('a page is written with what is known of it, and with warnings', () => {
  const page = { url: 'https://a.example/', title: 'A', content: 'Text.', description: '' as const }
  expect(writeReader(page, read())).toBe('Title: A\n\nURL Source: https://a.example/\n\nMarkdown Content:\nText.\n')
  const stored = { ...page, published_at: '2025-01-01T00:00:00.000Z', acquired_at: '2025-01-02T00:00:00.000Z' }
  const warning =
    'This is the page as the index has it since 2025-01-02T00:00:00.000Z. x-respond-with: the text is Markdown'
  expect(writeReader(stored, read({ 'x-respond-with': 'text' }))).toContain(
    `Published Time: 2025-01-01T00:00:00.000Z\n\nWarning: ${warning}\n\nMarkdown Content:`,
  )
  expect(writeReader(stored, read({ accept: 'application/json' }))).toMatchObject({
    code: 200,
    status: 20_000,
    data: { title: 'A', content: 'Text.', publishedTime: '2025-01-01T00:00:00.000Z' },
  })
})
