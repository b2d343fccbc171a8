import type { Reads, Receipt } from '@asof/core'
import type { z } from 'zod'
import type { ServiceError, WireErrorName } from '../contract/errors.ts'
import type { CheckLiveUrl } from '../contract/request-check.ts'
import type { CallKind, Sku } from '../contract/sku.ts'
import type { IndexReads } from '../fair-shares/fair-index.ts'
import type { LinkedCall } from '../fair-shares/fair-queue.ts'
import type { OnWizardFailure } from '../wizards/ask-wizards.ts'
import type { Wizard } from '../wizards/wizard.ts'
import type { CallerPolicy } from './caller-policy.ts'
import type { FeedbackJournal, LimitFeedback } from './feedback-journal.ts'
import type { ReadLive } from './live-page.ts'
import type { ReaderName, ReadFor } from './reader.ts'

/** For whom a call is answered, and the rules of the way by which it came. */
export interface CallContext extends LinkedCall {
  /** True if the caller has an API key or needs none, and so may use every mode. Default false. */
  keyed?: boolean
  /** The policy of the caller's organization. Default: that of a caller without an organization. */
  policy?: CallerPolicy
  /** True if time filters accept the unit `w`. Default false. */
  weeksInFilters?: boolean
  /** The id of the organization that gives feedback. Default: the owner of the index. */
  organization?: string
}

/** The answer to a call, with what its headers and its charge need. */
export interface Answered<Body> {
  /** The body of the answer, as the schema of the call has it. */
  body: Body
  /** The state of the index that a search was answered from; sent as the `X-Asof-Receipt` header. */
  receipt?: Receipt
  /**
   * For each result of a search how well it matches, from 0 to 1: see `relativeScores`. Not sent. Absent for the page of a URL, and from the answer
   * of another server.
   */
  relevance?: readonly number[]
  /** The reader that answered a prompt; sent as the `X-Asof-Reader` header. */
  reader?: ReaderName
  /** Where the page was looked for. Present if the query of a search was a URL. */
  fetched?: 'indexed' | 'live'
}

/** An answer from the index of this service. */
export interface AnsweredHere<Body> extends Answered<Body> {
  /** The instant that was answered for, epoch ms. */
  instant: number
}

/** What the check of a request needs. */
export interface CheckSources {
  engine: Pick<Reads, 'check' | 'history'>
  /** The clock, to which relative times refer, epoch ms. */
  now: () => number
  checkLiveUrl: CheckLiveUrl
  /** True if a language model reads pages for prompts, and not the built-in reader. */
  hasModel: boolean
  /** The seal of the service, epoch ms. Undefined if it is not sealed: later times are refused, and nothing is fetched live. */
  sealedAt: number | undefined
}

/** What answers are made from. */
export interface Sources extends CheckSources {
  /** The reads of the index, within the fair share of the caller. */
  engine: IndexReads
  readLive: ReadLive
  readFor: ReadFor
  journal: FeedbackJournal
  limitFeedback: LimitFeedback
  wizards: readonly Wizard[]
  wizardTimeoutMs: number
  onWizardFailure: OnWizardFailure
}

/** What a call costs that is not free, and what a buyer is told of it. */
export interface Charge<Request, Response> {
  /** What a plan covers and a payment pays for. */
  kind: CallKind
  /** What the call is billed as. */
  sku: (request: Request, answered: Answered<Response>) => Sku
  /** The title of the call in an offer. */
  title: string
  /** What is answered, in messages to the caller. */
  noun: string
  /** The state of the index in the signed receipt of a payment. */
  indexOf: (answered: Answered<Response>) => object
  /** True if the call may be sold while the index has no page. */
  needsNoPages: boolean
  /**
   * Returns why an organization with zero data retention may not make the call (spec part 7), or `undefined`. A search itself refuses
   * wizards.
   */
  refusedUnderZeroRetention: (request: Request) => ServiceError | undefined
  /** The error if a server behind this one sends an answer that does not match the contract. The same call would fail again. */
  failedUpstream: WireErrorName
}

/** A time that a request names, in a form of `query_time`. */
export interface NamedTime {
  /** The field, or what else carries the time, for errors. */
  name: string
  time: string
}

/** How a request is asked as of an instant. */
export interface PastView<Request> {
  /** Returns the times that the request names in its fields. */
  timesOf: (request: Request) => NamedTime[]
  /**
   * Returns the request as of an instant. All times that it names in its fields mean that instant.
   *
   * @throws ServiceError invalid_request - a field asks for what only the present has.
   */
  at: (request: Request, named: NamedTime) => Request
}

/**
 * One call of the contract: all that the ways in, the limits, the prices and the clients know of it. A file of this folder defines a
 * call, and the table in `calls.ts` has it.
 */
export interface CallDefinition<Request, Response> {
  request: z.ZodObject & z.ZodType<Request>
  response: z.ZodType<Response>
  /** GET has the request in the query string, POST in the body. */
  methods: readonly ('POST' | 'GET')[]
  /** Maximum size of a body, bytes. Default: that of the server. */
  bodyLimitBytes?: number
  /**
   * Who may make the call: `all` with a key or without, `keyed` only with a key, `keyless` only without one, and `unnamed` without even
   * the name of an application. A call for `all` that is charged is also sold on plans and for single payments; without a key it is free.
   */
  callers: 'all' | 'keyed' | 'keyless' | 'unnamed'
  /** Returns why a request that has not been checked yet needs a key, or `undefined`. */
  needsKey?: (asked: object) => string | undefined
  /** The texts of the OpenAPI document. */
  described: {
    summary: string
    /** What the answer is. */
    answer: string
    /** The header that tells more of the answer. */
    header?: readonly [name: string, description: string]
  }
  /** The errors that the call itself may have, whoever makes it. */
  failures: readonly WireErrorName[]
  /** Undefined if the call is free for everybody. */
  charged?: Charge<Request, Response>
  /** Undefined if the call has no view of the past. */
  past?: PastView<Request>
  /**
   * Valid values of required fields, with which a request with invalid fields is checked, so that one error names all invalid fields.
   * Undefined if its schema finds all of them.
   */
  standIn?: Partial<Request>
  /**
   * Checks what the schema can't, before any work is done. Undefined if there is nothing more to check.
   *
   * @throws ServiceError invalid_request | address_refused - `details` names every invalid field.
   */
  check?: (sources: CheckSources, request: Request, context: CallContext) => Promise<void>
  /** Answers a request that its schema has validated. */
  run: (sources: Sources, request: Request, context: CallContext) => Promise<AnsweredHere<Response>>
}

/** The definition of the call with these schemas. */
export type CallOf<Request extends z.ZodType, Response extends z.ZodType> = CallDefinition<
  z.output<Request>,
  z.output<Response>
>
