import { describe, expect, it } from 'vitest'
import { acceptedForm, inForm } from '../../../transports/mcp/accepted-form.ts'

describe('the form of an answer (RFC 9110, 12.5.1)', () => {
  it.each([
    [null, 'json'],
    ['', 'json'],
    ['*/*', 'json'],
    ['*', 'json'],
    ['application/*', 'json'],
    ['application/json', 'json'],
    ['APPLICATION/JSON; charset=utf-8', 'json'],
    ['application/json, text/event-stream', 'any'],
    ['text/event-stream, application/json', 'any'],
    ['text/event-stream,*/*', 'any'],
    ['application/json;q=0.9, text/event-stream;q=0.9', 'any'],
    ['application/json, text/event-stream;q=0.5', 'json'],
    ['application/json;q=0.5, text/event-stream', 'stream'],
    ['application/json;q=0, */*', 'stream'],
    ['text/event-stream', 'stream'],
    ['text/event-stream; q=1.000', 'stream'],
    ['text/*', 'stream'],
    ['*/*, text/event-stream;q=0', 'json'],
    ['text/html, */*;q=0.1', 'json'],
    ['text/html', undefined],
    ['application/json;q=0', undefined],
    ['*/*;q=0', undefined],
    ['*/*;q=0, application/json', 'json'],
  ])('%j: %s', (header, form) => {
    expect(acceptedForm(header)).toBe(form)
  })

  it('is made from the other form, with the same messages', async () => {
    const [one, two] = ['{"id":1,"result":"a\\n\\nb"}', '{"id":2}']
    const stream = () =>
      new Response(`: keep\n\nevent: message\ndata: ${one}\n\nevent: message\ndata: ${two}\n\n`, {
        headers: { 'content-type': 'text/event-stream' },
      })
    const batch = await inForm(stream(), 'json', true)
    expect([batch.headers.get('content-type'), await batch.text()]).toEqual(['application/json', `[${one},${two}]`])
    const json = new Response(one, { headers: { 'content-type': 'application/json' } })
    const streamed = await inForm(json, 'stream', false)
    expect([streamed.headers.get('content-type'), await streamed.text()]).toEqual([
      'text/event-stream',
      `event: message\ndata: ${one}\n\n`,
    ])
    const failed = new Response(one, { status: 400, headers: { 'content-type': 'application/json' } })
    expect(await inForm(failed, 'stream', false)).toBe(failed)
  })
})
