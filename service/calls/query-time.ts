import type { PastView } from './call.ts'

interface QueryTimed {
  query_time?: string | undefined
}

/** How a request with the field `query_time` is asked as of an instant. */
export function byQueryTime<Request extends QueryTimed>(): PastView<Request> {
  return {
    timesOf: ({ query_time: time }) => (time === undefined ? [] : [{ name: 'query_time', time }]),
    at: (request, { time }) => ({ ...request, query_time: request.query_time ?? time }),
  }
}
