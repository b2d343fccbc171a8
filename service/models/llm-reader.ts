import { randomUUID } from 'node:crypto'
import { optionsReader } from '@asof/extract/errors'
import type OpenAI from 'openai'
import { z } from 'zod'
import type { ReadablePage, Reader } from '../calls/reader.ts'
import { firstCodePoints } from '../contract/code-points.ts'
import { ServiceError } from '../contract/errors.ts'
import { connectModel, endpointFailure, loadOpenAi } from './model-client.ts'
import { endpointKinds, type ModelEndpoint } from './model-endpoint.ts'
import { quotePage } from './quoted-page.ts'

/** An endpoint that is compatible with OpenAI's chat completions API. */
export interface LlmSettings extends ModelEndpoint {
  /** The name of the model at the endpoint. */
  model: string
  /** Maximum length of a page for the model, characters. Longer pages are cut. Default 60,000, about 15,000 tokens. */
  pageChars?: number
  /** Time limit for the whole answer, ms. Default 25,000, because fetching the page live may already take 30 s. */
  timeoutMs?: number
}

const readSettings = optionsReader<LlmSettings>(
  { ...endpointKinds, model: 'string', pageChars: 'number', timeoutMs: 'number' },
  { required: ['baseUrl', 'model'] },
)

const defaults = { pageChars: 60_000, timeoutMs: 25_000 } as const
const MAX_ANSWER_TOKENS = 2_000
/** Maximum size of an answer, far more than MAX_ANSWER_TOKENS take. */
const MAX_ANSWER_BYTES = 1024 * 1024

/** The parts of an answer that are used. Endpoints send others too. */
const completion = z.object({
  choices: z.tuple([z.object({ message: z.object({ content: z.string() }) })], z.unknown()),
})

type TokenLimit = 'max_tokens' | 'max_completion_tokens'

/**
 * Returns the error for a failed endpoint. It leaves out the endpoint's message, which may quote the key, the page or
 * the instruction.
 */
function refusal(what: string): ServiceError {
  return new ServiceError('internal_error', `prompt: the language model that reads the page failed: ${what}.`)
}

/** Answers prompts with a language model. Does not stream, and does not retry failed requests. */
export class LlmReader implements Reader {
  readonly #settings: LlmSettings
  readonly #boundary: () => string
  #client: Promise<OpenAI> | undefined
  /**
   * The name of the parameter that limits the answer. Most endpoints accept only `max_tokens`, some models of OpenAI
   * only the newer one.
   */
  #tokenLimit: TokenLimit = 'max_tokens'

  /**
   * @param boundary - returns the marker around the page, which must be unpredictable.
   * @throws ASOF_INVALID_OPTION - a setting is unknown, missing or of another type.
   */
  constructor(settings: LlmSettings, boundary: () => string = randomUUID) {
    this.#settings = readSettings(settings)
    this.#boundary = boundary
  }

  /** @throws ServiceError internal_error - the endpoint failed, took too long or answered with something else. */
  async read(page: ReadablePage, instruction: string): Promise<{ content: string; reader: 'llm' }> {
    const { pageChars = defaults.pageChars, timeoutMs = defaults.timeoutMs } = this.#settings
    const markdown = firstCodePoints(page.markdown, pageChars)
    // The title is cut too, because a page may declare a title of any length.
    const title = firstCodePoints(page.title, 500)
    const question = quotePage({ url: page.url, title, markdown }, instruction, this.#boundary())
    this.#client ??= connectModel(this.#settings, MAX_ANSWER_BYTES)
    const client = await this.#client
    const signal = AbortSignal.timeout(timeoutMs)
    let answer: unknown
    try {
      answer = await this.#ask(client, question, signal)
    } catch (error) {
      if (signal.aborted) throw refusal(`no answer within ${timeoutMs / 1000} s`)
      throw await failureOf(error)
    }
    const parsed = completion.safeParse(answer)
    if (!parsed.success) throw refusal('its endpoint did not answer with a chat completion that holds text')
    const content = parsed.data.choices[0].message.content.trim()
    if (content === '') throw refusal('its answer was empty')
    return { content, reader: 'llm' }
  }

  async #ask(
    client: OpenAI,
    { system, user }: { system: string; user: string },
    signal: AbortSignal,
  ): Promise<unknown> {
    const complete = (tokenLimit: TokenLimit): Promise<unknown> =>
      client.chat.completions.create(
        {
          model: this.#settings.model,
          messages: [
            { role: 'system', content: system },
            { role: 'user', content: user },
          ],
          stream: false,
          [tokenLimit]: MAX_ANSWER_TOKENS,
        },
        { signal },
      )
    try {
      return await complete(this.#tokenLimit)
    } catch (error) {
      const { APIError } = await loadOpenAi()
      const unknownLimit = error instanceof APIError && error.status === 400 && error.param === this.#tokenLimit
      if (!unknownLimit || this.#tokenLimit !== 'max_tokens') throw error
      this.#tokenLimit = 'max_completion_tokens'
      return await complete(this.#tokenLimit)
    }
  }
}

async function failureOf(error: unknown): Promise<unknown> {
  const what = await endpointFailure(error)
  return what === undefined ? error : refusal(what)
}
