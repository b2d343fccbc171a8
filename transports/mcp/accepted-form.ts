import { qualityValues, weightOfType } from '../../service/index.ts'

const JSON_TYPE = 'application/json'
const STREAM_TYPE = 'text/event-stream'

/** The forms of an answer that a client accepts, each with its weight, 0 to 1. */
interface Accepted {
  json: number
  stream: number
  /** True if the client names the type of streams, and does not only accept every type. */
  namesStream: boolean
}

function acceptedIn(header: string | null): Accepted {
  // Without the header, every type is acceptable.
  const ranges = qualityValues(header?.trim() || '*/*')
  const weightOf = (type: string) => {
    const weight = weightOfType(ranges, type)
    // A client with a malformed weight names the type nevertheless.
    return weight >= 0 && weight <= 1 ? weight : 1
  }
  return {
    json: weightOf(JSON_TYPE),
    stream: weightOf(STREAM_TYPE),
    namesStream: ranges.has(STREAM_TYPE) || ranges.has('text/*'),
  }
}

/** The form in which a client gets an answer. `any`: the form that the SDK chooses. */
type Form = 'any' | 'json' | 'stream'

/**
 * Returns the form in which a client gets an answer; `undefined` if it accepts neither form. A client that accepts everything, and does
 * not name streams, gets JSON, because it may not know how to read a stream.
 */
export function acceptedForm(header: string | null): Form | undefined {
  const { json, stream, namesStream } = acceptedIn(header)
  if (json === 0 && stream === 0) return undefined
  if (stream === 0 || json > stream || (!namesStream && json === stream)) return 'json'
  return json === 0 || stream > json ? 'stream' : 'any'
}

/** Returns headers with which the SDK gives its answer in any form. */
export function acceptingBoth(headers: Headers): Headers {
  const both = new Headers(headers)
  both.set('accept', `${JSON_TYPE}, ${STREAM_TYPE}`)
  return both
}

function withBody(response: Response, body: string, type: string): Response {
  const headers = new Headers(response.headers)
  headers.set('content-type', type)
  for (const name of ['content-length', 'connection', 'x-accel-buffering']) headers.delete(name)
  return new Response(body, { status: response.status, headers })
}

/** Returns the messages of a finished stream (the event stream format of the HTML standard, as the SDK writes it). */
function messagesOf(stream: string): string[] {
  return stream.split('\n\n').flatMap(event => {
    const lines = event.split('\n').filter(line => line.startsWith('data:'))
    const data = lines.map(line => line.slice(5).trimStart()).join('\n')
    return data === '' ? [] : [data]
  })
}

/** Returns true if a response is a stream. */
function isStream(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith(STREAM_TYPE) === true
}

/**
 * Returns a successful response in another form: a stream with one message, or the messages of a stream as JSON.
 *
 * @param isBatch - true if the answer in JSON is a list.
 */
export async function inForm(response: Response, form: Form, isBatch: boolean): Promise<Response> {
  if (form === 'any' || response.status !== 200 || response.body === null || isStream(response) === (form === 'stream'))
    return response
  const text = await response.text()
  if (form === 'stream') return withBody(response, `event: message\ndata: ${text}\n\n`, STREAM_TYPE)
  const messages = messagesOf(text)
  return withBody(response, isBatch ? `[${messages.join(',')}]` : (messages.at(-1) ?? ''), JSON_TYPE)
}
