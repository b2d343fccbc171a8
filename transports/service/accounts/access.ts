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
  /** Runs while a credit is reserved. If it rejects, nothing is charged. */
  work: () => Promise<T>
  skuOf: (answer: T) => Sku
  /** Returns true if the answer can't be delivered any more, for example after a timeout. Then nothing is charged. */
  isTooLate?: () => boolean
}

const readOptions = optionsReader<{ now: () => number }>({ now: 'function' }, { required: ['now'] })

/** The accounts: authentication, rate limits, credits and administration. See the README of this folder. */
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
   * Opens the accounts in a folder and creates the folder if it is missing. Only one process can have them open.
   *
   * @param options.now - the current time, epoch ms.
   * @throws ASOF_STORE_LOCKED | ASOF_STORE_NEWER | ASOF_STORE_READ | ASOF_STORE_CORRUPT
   * @throws ASOF_INVALID_OPTION - an option is unknown, missing or of another type.
   */
  static async open(dir: string, options: { now: () => number }): Promise<Access> {
    const { now } = readOptions(options)
    const journal = await Journal.open(dir, () => ledger?.reload(), 'the accounts')
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
   * Returns the owner of the API key in a request's headers.
   *
   * @throws ServiceError unauthorized - there is no key, or it is invalid.
   */
  identify(headers: Headers): Identified {
    return this.#authentication.identify(headers)
  }

  /**
   * Returns the caller for an access token of an external authorization server.
   *
   * @param organisation - the id of the organization that the token names.
   * @param subject - the subject of the token, for the ledger.
   * @throws ServiceError unauthorized - the organization does not exist.
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
      throw new ServiceError('unauthorized', 'The access token names an unknown organization.')
    }
  }

  /** Counts a request towards the rate limit of its organization. */
  countRequest({ organisation }: Caller, requests?: number): Promise<LimitStanding> {
    return this.#organisationLimit(organisation, requests)
  }

  /**
   * Reserves a credit for a call, before its work.
   *
   * @throws ServiceError insufficient_credits
   */
  reserve({ organisation, key }: Caller): Reservation {
    return this.#accounts.ledger.reserve(organisation, key)
  }

  /**
   * Runs a call and charges it if it succeeds. The charge is on disk when this resolves.
   *
   * @returns the answer and its charge; without `draw` if the answer came too late.
   * @throws ServiceError insufficient_credits - before the work runs.
   * @throws what the work throws; then nothing is charged.
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
   * Performs an administrative act. It is on disk, with its audit record, when this resolves.
   *
   * @param actor - who acts, for the audit log.
   * @returns a JSON value with wire names.
   * @throws ServiceError invalid_request | not_found
   */
  administer(act: AdminActName, input: unknown, actor: string): Promise<object> {
    return adminActs[act].perform(this.#accounts, input, actor)
  }

  /** Copies a snapshot of the accounts into a folder that does not exist. */
  copyTo(dir: string): Promise<void> {
    return this.#journal.copyTo(dir)
  }

  /** Waits for pending writes, then closes the accounts. */
  close(): Promise<void> {
    return this.#journal.close()
  }
}
