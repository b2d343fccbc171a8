import { optionsReader } from '@asof/core'
import { ServiceError } from '../index.ts'
import { Journal } from '../records/journal.ts'
import { type Accounts, type AdminActName, adminActs } from './admin-acts.ts'
import { AuditLog } from './audit-log.ts'
import { Authentication, type Caller, type Headers, type Identified } from './authentication.ts'
import { Directory } from './directory.ts'
import { type Draw, Ledger, type Reservation } from './ledger.ts'
import { createOrganisationLimit, type LimitStanding } from './rate-limit.ts'
import type { Sku } from './sku.ts'

export interface ChargedWork<T> {
  /** Runs with a credit reserved; nothing is charged when it rejects. */
  work: () => Promise<T>
  skuOf: (answer: T) => Sku
  /** Whether the caller has been answered otherwise meanwhile, by a time-out say; then nothing is charged. */
  isTooLate?: () => boolean
}

const readOptions = optionsReader<{ now: () => number }>({ now: 'function' }, { required: ['now'] })

/** Who may call, how often, and what it costs. See the README of this room. */
export class Access {
  readonly #journal: Journal
  readonly #accounts: Accounts
  readonly #authentication: Authentication
  readonly #organisationLimit = createOrganisationLimit()

  private constructor(journal: Journal, accounts: Accounts, authentication: Authentication) {
    this.#journal = journal
    this.#accounts = accounts
    this.#authentication = authentication
  }

  /**
   * Opens the accounts kept in a folder, which is created. One process at a time.
   *
   * @param options.now - the clock, epoch ms.
   * @throws ASOF_STORE_LOCKED | ASOF_STORE_NEWER | ASOF_STORE_READ | ASOF_STORE_CORRUPT
   * @throws ASOF_INVALID_OPTION - an option that is unknown, not given or of another type.
   */
  static async open(dir: string, options: { now: () => number }): Promise<Access> {
    const { now } = readOptions(options)
    const journal = await Journal.open(dir, () => ledger?.reload())
    let ledger: Ledger | undefined
    try {
      const audit = await AuditLog.open(journal)
      ledger = new Ledger(journal, audit, now)
      const directory = new Directory(journal, audit, now, () => authentication.forget())
      const authentication = new Authentication(directory)
      return new Access(journal, { directory, ledger, audit }, authentication)
    } catch (error) {
      await journal.close()
      throw error
    }
  }

  /**
   * Whose key a request presents.
   *
   * @throws ServiceError unauthorized
   */
  identify(headers: Headers): Identified {
    return this.#authentication.identify(headers)
  }

  /**
   * The caller that an access token of somebody else's speaks for.
   *
   * @param organisation - its id.
   * @param subject - who in it, for the ledger.
   * @throws ServiceError unauthorized - there is no such organisation.
   */
  callerOf(organisation: string, subject: string): Caller {
    try {
      return {
        organisation: this.#accounts.directory.organisation(organisation),
        workspace: '',
        key: `token:${subject}`,
      }
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== 'not_found') throw error
      throw new ServiceError('unauthorized', 'The access token names an organization that is not known here.')
    }
  }

  /** Counts a request against its organisation's limit. */
  countRequest({ organisation }: Caller, requests?: number): Promise<LimitStanding> {
    return this.#organisationLimit(organisation, requests)
  }

  /**
   * Promises a credit to a call, before its work.
   *
   * @throws ServiceError insufficient_credits
   */
  reserve({ organisation, key }: Caller): Reservation {
    return this.#accounts.ledger.reserve(organisation, key)
  }

  /**
   * Runs a call and charges it when it has succeeded: the draw is on disk when this resolves.
   *
   * @returns the answer and what it cost; no draw when it came too late.
   * @throws ServiceError insufficient_credits - before the work. What the work throws; then nothing is charged.
   */
  async charge<T>(
    caller: Caller,
    { work, skuOf, isTooLate = () => false }: ChargedWork<T>,
  ): Promise<{ answer: T; draw?: Draw }> {
    const reservation = this.reserve(caller)
    try {
      const answer = await work()
      if (isTooLate()) return { answer }
      const draw = await reservation.settle(skuOf(answer))
      if (!isTooLate()) return { answer, draw }
      await reservation.refund()
      return { answer }
    } finally {
      reservation.release()
    }
  }

  /**
   * Performs an administrative act: on disk, with its audit record, when this resolves.
   *
   * @param actor - who acts, for the audit log.
   * @returns a JSON value, under wire names.
   * @throws ServiceError invalid_request | not_found
   */
  administer(act: AdminActName, input: unknown, actor: string): Promise<object> {
    return adminActs[act].perform(this.#accounts, input, actor)
  }

  /** Copies the accounts, as of one moment, into a folder that does not exist. */
  copyTo(dir: string): Promise<void> {
    return this.#journal.copyTo(dir)
  }

  /** Waits for what is being written. */
  close(): Promise<void> {
    return this.#journal.close()
  }
}
