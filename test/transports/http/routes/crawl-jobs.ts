import { expect } from 'vitest'
import {
  type CrawlJobErrorsResponse,
  type CrawlJobPagesResponse,
  type CrawlJobResponse,
  type CrawlJobsResponse,
  crawlJobErrorsResponse,
  crawlJobPagesResponse,
  crawlJobResponse,
  crawlJobsResponse,
} from '../../../../service/index.ts'

interface Answer<Body> {
  status: number
  headers: Headers
  body: Body & { error: string; message: string; details?: { path: string }[] }
}

/** The crawl jobs of a server as a caller with a key sees them. Each answer has the form that its schema describes. */
export class JobClient {
  readonly #url: string
  readonly #key: string

  /** @param url - the server, also with `/at/TIME`. */
  constructor(url: string, key: string) {
    this.#url = url
    this.#key = key
  }

  start(body: object): Promise<Answer<CrawlJobResponse>> {
    return this.#ask('POST', '', crawlJobResponse, body)
  }

  read(id: string, cursor?: string): Promise<Answer<CrawlJobPagesResponse>> {
    return this.#ask('GET', `/${id}${cursor === undefined ? '' : `?cursor=${cursor}`}`, crawlJobPagesResponse)
  }

  errors(id: string): Promise<Answer<CrawlJobErrorsResponse>> {
    return this.#ask('GET', `/${id}/errors`, crawlJobErrorsResponse)
  }

  cancel(id: string): Promise<Answer<CrawlJobResponse>> {
    return this.#ask('DELETE', `/${id}`, crawlJobResponse)
  }

  list(): Promise<Answer<CrawlJobsResponse>> {
    return this.#ask('GET', '', crawlJobsResponse)
  }

  /** Waits until a job has ended, and returns it with all of its pages. */
  async all(id: string): Promise<CrawlJobPagesResponse> {
    await expect.poll(async () => (await this.read(id)).body.state).not.toBe('running')
    let { body } = await this.read(id)
    const whole = { ...body }
    while (body.next !== undefined) {
      body = (await this.read(id, body.next)).body
      whole.pages = [...whole.pages, ...body.pages]
    }
    return whole
  }

  /** Makes a job, and returns it with all of its pages when it has ended. */
  async run(body: object): Promise<CrawlJobPagesResponse> {
    const started = await this.start(body)
    expect(started.body).toMatchObject({ state: 'running' })
    return await this.all(started.body.id)
  }

  async #ask<Body>(
    method: string,
    path: string,
    schema: { parse(value: unknown): Body },
    body?: object,
  ): Promise<Answer<Body>> {
    const headers = new Headers({ 'X-API-Key': this.#key })
    if (body) headers.set('Content-Type', 'application/json')
    const sent = { method, headers, body: body && JSON.stringify(body) }
    const response = await fetch(`${this.#url}/v1/crawls${path}`, sent)
    const answer = (await response.json()) as Answer<Body>['body']
    if (response.status === 200) expect(schema.parse(answer)).toEqual(answer)
    return { status: response.status, headers: response.headers, body: answer }
  }
}
