import { ClientError } from '../client/index.ts'

/**
 * Maximum size of an answer. The longest answer of the contract is smaller: 50 results with 20,000 characters each, escaped in
 * JSON.
 */
const MAX_ANSWER_BYTES = 16 * 2 ** 20

/** The `fetch` of one call, and the headers of its last response. */
interface BoundedFetch {
  fetch: typeof globalThis.fetch
  headers(): Headers
}

function badAnswer(reason: string, status: number): ClientError {
  return new ClientError('not_an_answer', `The response of the upstream server ${reason}.`, { status })
}

async function readBody({ body, status }: Response): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let bytes = 0
  // A `throw` or `return` in the loop cancels the body, and with it the request.
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.byteLength
    if (bytes > MAX_ANSWER_BYTES) throw badAnswer('is too large', status)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** Returns true if a text contains a key, plain or escaped as in JSON. */
function quotes(text: string, key: string): boolean {
  if (text.includes(key)) return true
  const unescaped = text.replace(/\\u([0-9a-fA-F]{4})/g, (_, digits: string) =>
    String.fromCharCode(parseInt(digits, 16)),
  )
  return unescaped.length < text.length && unescaped.includes(key)
}

/**
 * Creates a `fetch` that follows no redirects, and rejects answers that are too large, or quote the key in the body or in a
 * header.
 *
 * @param key - the API key that calls send.
 */
export function boundedFetch(key: string): BoundedFetch {
  let last = new Headers()
  return {
    headers: () => last,
    fetch: async (url, init) => {
      const response = await globalThis.fetch(url, { ...init, redirect: 'manual' })
      const { status, headers } = response
      if (status >= 300 && status < 400) {
        await response.body?.cancel()
        throw badAnswer('is a redirect', status)
      }
      const body = await readBody(response)
      const texts = [body.toString('latin1'), ...headers.values()]
      if (texts.some(text => quotes(text, key))) throw badAnswer('quotes the API key', status)
      last = headers
      return new Response(status === 204 ? null : new Uint8Array(body), { status, headers })
    },
  }
}
