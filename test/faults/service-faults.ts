import type { Fault } from './fault.ts'

/** Faults in accounts, payments and plans. */
export const serviceFaults: readonly Fault[] = [
  {
    name: 'a credit stays held after a call that failed',
    file: 'service/accounts/charged-calls.ts',
    find: '    await hold.void()\n',
    replace: '',
    tests: ['test/service/accounts/ledger', 'test/service/accounts/charged-calls'],
    suite: 'unit',
  },
  {
    name: 'two calls at once spend the same credit',
    file: 'service/accounts/level/account.ts',
    find: 'this.balance - this.held',
    replace: 'this.balance',
    tests: ['test/service/accounts/ledger', 'test/service/accounts/plans'],
    suite: 'unit',
  },
  {
    name: 'a key of a suspended workspace is accepted',
    file: 'service/accounts/authentication.ts',
    find: "workspace.suspended ? 'The workspace is suspended.' : ''",
    replace: "''",
    tests: ['test/service/accounts/authentication'],
    suite: 'unit',
  },
  {
    name: 'a rate limit refuses the last request that it allows',
    file: 'service/fair-shares/window-counts.ts',
    find: 'exceeded: window.points > this.#points',
    replace: 'exceeded: window.points >= this.#points',
    tests: ['test/service/fair-shares/window-counts'],
    suite: 'unit',
  },
  {
    name: 'a payment of less than the price is accepted',
    file: 'store/payments/offer.ts',
    find: 'BigInt(authorization.value) !== BigInt(option.amount)',
    replace: 'BigInt(authorization.value) > BigInt(option.amount)',
    tests: ['test/store/payments/payment-processor'],
    suite: 'system',
  },
  {
    name: 'a settled payment is taken for another request',
    file: 'store/payments/payment-processor.ts',
    find: "if (before?.state === 'settled' || before?.state === 'failed') {",
    replace: "if (before?.state === 'failed') {",
    tests: ['test/store/payments/payment-processor'],
    suite: 'system',
  },
  {
    name: 'payments that a killed process held are not voided at the next start',
    file: 'store/payments/payment-ledger.ts',
    find: 'if (recovered !== record) await',
    replace: 'if (recovered === record) await',
    tests: ['test/store/payments/payment-ledger'],
    suite: 'unit',
  },
]
