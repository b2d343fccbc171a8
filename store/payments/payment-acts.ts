import { z } from 'zod'
import { parseForm, parseRequest, timestamp } from '../../service/index.ts'
import type { PaymentLedger } from './payment-ledger.ts'
import { isSettled, type PaymentRecord, type PaymentState } from './payment-record.ts'
import type { SweepReport } from './reconciler.ts'

/** The parts of the payments that acts use. */
export interface PaymentBooks {
  ledger: PaymentLedger
  /** Asks the chain about undecided payments. @throws ServiceError payments_unavailable - there is no node. */
  reconcile: () => Promise<SweepReport>
}

/** An act on the payments. It is the same on the command line and on the local socket. */
export interface PaymentAct {
  /** The schema of the input, with wire names. */
  input: z.ZodObject
  /** Parses input in string form. @throws ServiceError invalid_request */
  parseForm(form: Readonly<Record<string, unknown>>): Record<string, unknown>
  /** @throws ServiceError invalid_request */
  perform(books: PaymentBooks, input: unknown): Promise<object>
}

function define<S extends z.ZodObject>(
  input: S,
  perform: (books: PaymentBooks, input: z.output<S>) => Promise<object>,
): PaymentAct {
  return {
    input,
    parseForm: form => parseForm(input, form),
    perform: async (books, value) => await perform(books, parseRequest(input, value)),
  }
}

const DAY_MS = 86_400_000
const states = ['held', 'settling', 'settled', 'failed', 'undecided'] as const satisfies readonly PaymentState[]
const day = z.iso.date({ error: 'must be a day such as 2026-11-22' })
const between = {
  from: day.optional().describe('from this day, UTC, such as 2026-11-22 (default: the first)'),
  to: day.optional().describe('through this day, UTC (default: today)'),
}

const betweenDays = z.object(between)

/** Converts days (UTC, `to` inclusive) to epoch ms (`to` exclusive). */
function span({ from, to }: { from?: string | undefined; to?: string | undefined }): { from?: number; to?: number } {
  return {
    from: from === undefined ? undefined : Date.parse(from),
    to: to === undefined ? undefined : Date.parse(to) + DAY_MS,
  }
}

/** Returns a payment with wire names, without the fingerprint of its request. */
export function shownPayment(record: PaymentRecord) {
  const { state, kind, network, asset, payer, payTo, amount, nonce, transaction = null, reason = null } = record
  const times = {
    held_at: timestamp(record.heldAt),
    settled_at: timestamp(record.settledAt) ?? null,
    delivered_at: timestamp(record.deliveredAt) ?? null,
  }
  return { state, kind, network, asset, payer, pay_to: payTo, amount, nonce, transaction, reason, ...times }
}

interface DayTotal {
  day: string
  network: string
  asset: string
  payments: number
  amount: string
  search: number
  fetch: number
  purchase: number
  /** Number of settled payments whose answer was not sent. */
  undelivered: number
}

function addTo(totals: Map<string, DayTotal>, record: PaymentRecord): void {
  if (!isSettled(record)) return
  const { network, asset, amount, kind } = record
  const on = new Date(record.settledAt).toISOString().slice(0, 10)
  const key = `${on} ${network} ${asset}`
  const total = totals.get(key) ?? {
    day: on,
    network,
    asset,
    payments: 0,
    amount: '0',
    search: 0,
    fetch: 0,
    purchase: 0,
    undelivered: 0,
  }
  total.payments += 1
  total.amount = String(BigInt(total.amount) + BigInt(amount))
  total[kind] += 1
  if (record.deliveredAt === undefined) total.undelivered += 1
  totals.set(key, total)
}

/** All acts on payments by name. */
export const paymentActs = {
  list: define(
    z.strictObject({
      ...between,
      state: z
        .enum(states)
        .optional()
        .describe('only payments in this state: held, settling, settled, failed or undecided'),
      limit: z.int().min(1).max(1_000).default(100).describe('number of payments, 1 to 1000'),
    }),
    async ({ ledger }, { state, limit, ...days }) => {
      const shown: object[] = []
      for await (const record of ledger.all(span(days))) {
        if (shown.length >= limit) break
        if (state === undefined || record.state === state) shown.push(shownPayment(record))
      }
      return shown
    },
  ),
  totals: define(z.strictObject(between), async ({ ledger }, days) => {
    const totals = new Map<string, DayTotal>()
    const { from = 0, to } = span(days)
    // A payment counts on the day on which it settled. It may have been held much earlier, so all payments before `to` are
    // read.
    for await (const record of ledger.all({ to })) {
      const { settledAt } = record
      if (settledAt !== undefined && settledAt >= from && (to === undefined || settledAt < to)) addTo(totals, record)
    }
    return [...totals.values()].sort((a, b) => (a.day < b.day ? -1 : 1))
  }),
  reconcile: define(z.strictObject({}), ({ reconcile }) => reconcile()),
} as const

export type PaymentActName = keyof typeof paymentActs

/**
 * Passes the payments of some days to `onPayment`, oldest first, with wire names. Stops when the signal aborts.
 *
 * @throws ServiceError invalid_request - the days are not days.
 */
export async function exportPayments(
  ledger: PaymentLedger,
  days: { from?: string; to?: string },
  onPayment: (payment: object) => void | Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  for await (const record of ledger.all(span(parseRequest(betweenDays, days)))) {
    if (signal?.aborted) return
    await onPayment(shownPayment(record))
  }
}
