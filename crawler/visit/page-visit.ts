import type { KnownError } from '../errors.ts'
import type { FrontierRecord } from '../frontier/frontier-record.ts'
import type { Claimants, ClaimedAddresses, ClaimedVisit } from './claimed-address.ts'
import { isFatal } from './fatal-error.ts'
import type { PageKeeping, Storable } from './page-keeping.ts'
import type { Onward, PageAnswer, PageRequests } from './page-request.ts'
import type { PageStorage, StorablePage } from './page-storage.ts'
import type { VisitChecks } from './visit-checks.ts'
import type { VisitFailures } from './visit-failure.ts'
import type { VisitResult } from './visit-result.ts'

interface Parts {
  checks: VisitChecks
  requests: PageRequests
  failures: VisitFailures
  keeping: PageKeeping
  claims: ClaimedAddresses
  storage: PageStorage
}

/** Visits pages of the frontier: checks, requests, extracts and stores each page, and records the outcome. */
export class PageVisitor {
  readonly #checks: VisitChecks
  readonly #requests: PageRequests
  readonly #failures: VisitFailures
  readonly #keeping: PageKeeping
  readonly #claims: ClaimedAddresses
  readonly #storage: PageStorage

  constructor({ checks, requests, failures, keeping, claims, storage }: Parts) {
    this.#checks = checks
    this.#requests = requests
    this.#failures = failures
    this.#keeping = keeping
    this.#claims = claims
    this.#storage = storage
  }

  /**
   * Visits one URL in flight. The result tells the caller how to continue, even after a failure of the page, its site
   * or the network.
   *
   * @throws ASOF_STORE_WRITE | ASOF_STORE_READ | ASOF_CLOSED - the engine or the frontier cannot be used.
   */
  async visit(url: string, record: FrontierRecord): Promise<VisitResult> {
    const result = await this.#visit(url, record, { holder: url, urls: [] })
    if (result.kind === 'leadsBack' || result.kind === 'circle')
      throw new TypeError(`${url} has no claimants that its visit could concern`)
    return result
  }

  async #visit(url: string, record: FrontierRecord, claimants: Claimants): Promise<ClaimedVisit> {
    const checked = await this.#checks.check(url, record)
    if (checked) return checked
    const orFailure = async <T>(work: () => Promise<T>): Promise<T | VisitResult> => {
      try {
        return await work()
      } catch (error) {
        // Extraction may fail for this page, or the engine may reject it, for example because of a field.
        if (isFatal(error)) throw error
        return await this.#failures.fail(url, record, error as KnownError)
      }
    }
    const answered = await this.#requests.request<ClaimedVisit | Storable>(
      url,
      record,
      answer => orFailure(() => this.#useAnswer(url, record, answer)),
      claimants,
    )
    if (answered.kind !== 'storable') return answered
    return await orFailure(() => this.#store(answered.page, claimants))
  }

  async #useAnswer(url: string, record: FrontierRecord, answer: PageAnswer): Promise<ClaimedVisit | Storable | Onward> {
    switch (answer.kind) {
      case 'fetched':
        return await this.#keeping.keep(answer.page, answer.urls, record)
      case 'repeated':
        return await this.#keeping.keepAlias(answer.urls, record, answer.storedAs)
      case 'outside':
        return await this.#failures.skipOutside(url)
      case 'robots':
        return await this.#failures.skipByRobots(url)
      case 'failed':
        return await this.#failures.fail(url, record, answer.error)
      case 'elsewhere':
        return { kind: 'retry', dueAt: answer.dueAt, patch: {} }
      default:
        return answer
    }
  }

  /** Stores a page after the address that it claims was visited. No request is running meanwhile. */
  async #store(page: StorablePage, claimants: Claimants): Promise<ClaimedVisit> {
    const settled = await this.#claims.settle(page, claimants, (...asked) => this.#visit(...asked))
    switch (settled.kind) {
      case 'settled':
        return { kind: 'finished', outcome: await this.#storage.store(settled.page) }
      case 'again':
        return { kind: 'retry', dueAt: settled.dueAt, patch: {} }
      default:
        return settled
    }
  }
}
