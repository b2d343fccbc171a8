import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../core/index.ts'
import {
  createService,
  type FeedbackSubmission,
  feedbackRequest,
  feedbackResponse,
  feedbackTopic,
  parseRequest,
  type Service,
  ServiceError,
} from '../../../service/index.ts'

const a = 'https://a.example/'
const b = 'https://b.example/'
const caller = { organization: 'org_a', zdr: false }

let engine: Engine
let kept: { submission: FeedbackSubmission; refetch: readonly string[] }[]
let service: Service
beforeAll(async () => {
  engine = await open(':memory:')
  await engine.add([
    { url: a, text: 'tides', aliases: ['https://old.example/'] },
    { url: 'file:///tides.txt', text: 'of a file' },
  ])
})
afterAll(async () => {
  await engine.close()
})
beforeEach(() => {
  kept = []
  service = createService(engine, () => Promise.reject(new Error('no live fetch')), {
    now: () => 42,
    journal: {
      async record(submission, refetch) {
        kept.push({ submission, refetch })
        return { refetches: refetch.length }
      },
    },
  })
})

async function send(given: unknown, { organization, zdr } = caller) {
  const request = parseRequest(feedbackRequest, given)
  return (await service.answer('feedback', request, { organization, policy: { zdr } })).body
}

describe('feedback', () => {
  it('is stored with its time, organization, query, text and the current capture', async () => {
    const answer = await send({ query: 'tides', feedback: { [a]: 5, [b]: 1 }, feedback_text: 'good' })
    expect(feedbackResponse.parse(answer)).toEqual(answer)
    const { acquiredAt } = (await engine.page(a))!
    const topic = feedbackTopic('tides', 42)
    const judgments = [
      { url: a, score: 5, capture: { url: a, acquiredAt } },
      { url: b, score: 1 },
    ]
    const submission = { at: 42, organization: 'org_a', topic, query: 'tides', text: 'good', judgments }
    expect(kept).toEqual([{ submission, refetch: [] }])
  })

  it('is stored without its texts for an organization with zero data retention', async () => {
    await send({ query: 'my secret', feedback: { [a]: 5 }, feedback_text: 'my secret too' }, { ...caller, zdr: true })
    expect(JSON.stringify(kept)).not.toContain('secret')
    expect(kept[0]!.submission).toMatchObject({ topic: feedbackTopic('my secret', 42), judgments: [{ score: 5 }] })
  })

  it('with score 0 lists the page for fetching again, by its URL in the index', async () => {
    const { message } = await send({ query: 'tides', feedback: { 'https://old.example/': 0 } })
    expect(kept[0]!.refetch).toEqual([a])
    expect(message).toContain('1 page will be fetched again')
  })

  it('does not list pages that are not indexed, or are not web pages, for fetching again', async () => {
    await send({ query: 'tides', feedback: { [b]: 0, 'http://127.0.0.1/': 0, 'file:///tides.txt': 0 } })
    expect(kept[0]!.refetch).toEqual([])
  })

  it('counts a page once if its URL is written in two ways', async () => {
    await send({ query: 'tides', feedback: { [a]: 2, 'HTTPS://A.example:443/#top': 4 } })
    expect(kept[0]!.submission.judgments).toMatchObject([{ url: a, score: 4 }])
  })

  it('is limited to 1,000 URLs an hour for each organization', async () => {
    const many = (from: number) =>
      Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`https://n${from + at}.example/`, 3]))
    for (let from = 0; from < 1_000; from += 200) await send({ query: 'x', feedback: many(from) })
    const refused = await send({ query: 'x', feedback: { [a]: 3 } }).catch((error: unknown) => error)
    expect(refused).toMatchObject({ kind: 'rate_limited', statusCode: 429 })
    expect((refused as ServiceError).retryAfterSeconds).toBeGreaterThan(3_000)
    expect(kept).toHaveLength(5)
    await send({ query: 'x', feedback: { [a]: 3 } }, { organization: 'org_b', zdr: false })
  })

  it('is rejected by a service without a journal', async () => {
    const bare = createService(engine, () => Promise.reject(new Error('no live fetch')))
    const request = parseRequest(feedbackRequest, { query: 'x', feedback: { [a]: 3 } })
    await expect(bare.answer('feedback', request)).rejects.toMatchObject({ kind: 'not_found' })
  })

  it.each([
    [{ feedback: { [a]: 3 } }, 'query'],
    [{ query: ' ', feedback: { [a]: 3 } }, 'query'],
    [{ query: 'x'.repeat(2_049), feedback: { [a]: 3 } }, 'query'],
    [{ query: 'x' }, 'feedback'],
    [{ query: 'x', feedback: {} }, 'feedback'],
    [{ query: 'x', feedback: [] }, 'feedback'],
    [{ query: 'x', feedback: null }, 'feedback'],
    [{ query: 'x', feedback: { 'a.example': 3 } }, 'feedback.a.example'],
    [{ query: 'x', feedback: { 'mailto:me@a.example': 3 } }, 'feedback.mailto:me@a.example'],
    [{ query: 'x', feedback: { 'https://me:pw@a.example/': 3 } }, 'feedback.https://me:pw@a.example/'],
    [{ query: 'x', feedback: { [a]: 6 } }, `feedback.${a}`],
    [{ query: 'x', feedback: { [a]: -1 } }, `feedback.${a}`],
    [{ query: 'x', feedback: { [a]: 2.5 } }, `feedback.${a}`],
    [{ query: 'x', feedback: { [a]: '5' } }, `feedback.${a}`],
    [JSON.parse('{"query": "x", "feedback": {"__proto__": 3}}'), 'feedback'],
    [{ query: 'x', feedback: { [a]: 3 }, feedback_text: 'x'.repeat(10_001) }, 'feedback_text'],
    [{ query: 'x', feedback: { [a]: 3 }, stars: 5 }, 'stars'],
    [
      {
        query: 'x',
        feedback: Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`https://n${at}.example/`, 3])),
      },
      'feedback',
    ],
  ])('refuses %j, naming %s', (body, field) => {
    const parse = () => parseRequest(feedbackRequest, body)
    expect(parse).toThrow(ServiceError)
    try {
      parse()
    } catch (error) {
      expect((error as ServiceError).statusCode).toBe(400)
      expect((error as ServiceError).details!.map(({ path }) => path)).toContain(field)
    }
  })

  it('of any shape is stored or rejected with 400, and never causes an internal error', async () => {
    const url = fc.oneof(fc.webUrl(), fc.string(), fc.constant('__proto__'))
    const body = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          query: fc.string(),
          feedback: fc.dictionary(url, fc.integer({ min: -1, max: 6 })),
          feedback_text: fc.string(),
        },
        { requiredKeys: ['query', 'feedback'] },
      ),
    )
    await fc.assert(
      fc.asyncProperty(body, fc.uuid(), async (value, organization) => {
        kept = []
        try {
          const answer = await send(JSON.parse(JSON.stringify(value)), { organization, zdr: false })
          expect(feedbackResponse.parse(answer)).toEqual(answer)
          expect(kept).toHaveLength(1)
        } catch (error) {
          expect(error).toMatchObject({ name: 'ServiceError', statusCode: 400 })
          expect(kept).toEqual([])
        }
      }),
    )
  })
})
