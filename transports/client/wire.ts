// Only types are imported, so that the client does not load the schemas.
import type { Receipt, VectorReceipt } from '@asof/core'
import type { z } from 'zod'
import type { CallCharge, Sku } from '../../service/accounts/index.ts'
import type { CrawlAnswer } from '../../service/crawls/index.ts'
import type {
  AdditionResponse,
  additionQuery,
  CallName,
  CrawledPage,
  CrawlJobErrorsResponse,
  CrawlJobInput,
  CrawlJobPagesResponse,
  CrawlJobResponse,
  DeletionResponse,
  deletionRequest,
  ErrorResponse,
  InputOf,
  RelevanceResponse,
  RequestOf,
  ResponseOf,
  relevanceRequest,
  WireRelevance,
} from '../../service/index.ts'

export type {
  AdditionResponse,
  CallCharge,
  CallName,
  CrawlAnswer,
  CrawledPage,
  CrawlJobErrorsResponse,
  CrawlJobInput,
  CrawlJobPagesResponse,
  CrawlJobResponse,
  DeletionResponse,
  ErrorResponse,
  InputOf,
  Receipt,
  RelevanceResponse,
  RequestOf,
  ResponseOf,
  Sku,
  VectorReceipt,
  WireRelevance,
}

/** How the records of an addition are read. */
export type AdditionQuery = z.input<typeof additionQuery>

/** Which pages to remove or purge: `urls`, or `site`, `prefix` and `filter`, of which a page must fulfill all that are given. */
export type DeletionRequest = z.input<typeof deletionRequest>

/** What `POST /admin/crawls/start` crawls, and its limits. Exactly one of `urls` and `corpus` is given. */
export interface StartCrawlRequest {
  /** URLs where the crawl starts. Their hosts are its scope. */
  urls?: readonly string[]
  /** A corpus definition. */
  corpus?: object
  /**
   * Maximum number of pages requested in one run; with `watch`, maximum number of known URLs. Default: that of the corpus, or else no
   * limit.
   */
  max_pages?: number | undefined
  /** Maximum number of links from a seed to a page. Default: that of the corpus, or else 32. */
  max_depth?: number | undefined
  /** Minimum pause between two requests to one host, ms. Default: that of the corpus, or else 1,000. */
  delay_ms?: number | undefined
  /** Maximum number of concurrent requests, each to another host. Default: that of the corpus, or else 16. */
  concurrency?: number | undefined
  /** Keeps the crawl running, and re-visits pages when they are due. Default false. */
  watch?: boolean
}

/** The parameters of `GET /admin/relevance`. */
export type RelevanceRequest = z.input<typeof relevanceRequest>

/** The charge of a call with a key (`X-Asof-Usage`). `paid` is true for purchased credits, false for the free allowance. */
export type CallUsage = CallCharge
