import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { CompiledApi, compileDeclarations, type Declared, identity } from './compiled-api.ts'

/** The subpaths of the package: the name of its listing, and its source. */
const subpaths = Object.entries(packageJson.exports).flatMap(([subpath, entry]) => {
  if (typeof entry === 'string') return []
  const listing = subpath === '.' ? 'core' : subpath.replace('./', '').replaceAll('/', '-')
  return [{ subpath, listing, source: entry.types.replace('./dist/', '').replace('.d.ts', '.ts') }]
})

/** Subpaths that are packages of their own or load alone: their types are not looked for in other subpaths. */
const alone = new Set(['.', './extract', './client'])

/** Types that an exported declaration names and that no subpath exports, by the reason. */
const unnamed: Readonly<Record<string, readonly string[]>> = {
  'Callers write or read their properties and never need their names.': [
    'Components of transports/http/openapi/document.ts',
    'ErrorCode of extract/errors/errors.ts',
    'ErrorParts of extract/errors/errors.ts',
    'ExtractPoolOptions of extract/extract-pool.ts',
    'ExtractRunOptions of extract/extract-pool.ts',
    'FolderDamage of core/leveldb/folder-check.ts',
    'LostCapture of core/repair/survivors.ts',
    'Mergeable of core/merge/merge-policy.ts',
  ],
  'An exported type has one of their properties, by the name of a call.': [
    'CallDefinition of service/calls/call.ts',
    'ClientCalls of transports/client/client.ts',
    'Inputs of service/calls/calls.ts',
    'Requests of service/calls/calls.ts',
    'Responses of service/calls/calls.ts',
  ],
  'The base of a class, whose public methods are those of `Engine`.': ['IndexEngine of core/engine/index-engine.ts'],
  'A data folder or a server opens it, and gives it to its own parts.': [
    'Administrators of transports/http/admission/administrators.ts',
    'CrawlJobs of service/crawl-jobs/crawl-jobs.ts',
    'ListOptions of service/records/journal.ts',
    'OpenFrontiers of crawler/frontier/open-frontiers.ts',
    'RecordRange of service/records/journal.ts',
    'ServiceDatabase of service/data-folder/service-database.ts',
    'SharedDatabase of database/shared-database.ts',
  ],
  'Callers get an object from a function, and never make one.': [
    'ModelRecord of service/local-models/model-record.ts',
    'RerankerRecord of service/local-models/model-record.ts',
    'UnloadedModel of service/local-models/local-model.ts',
  ],
  'Ledgers keep their records in a store that a program opens and passes on.': [
    'MakeChange of service/records/records.ts',
    'RecordKey of service/records/records.ts',
    'RecordLocks of service/records/records.ts',
    'RecordSelection of service/records/records.ts',
    'RecordTable of service/records/records.ts',
  ],
  'The ways of a store exchange it with what a program has opened and gives to the store.': [
    'CompletePurchase of store/purchases/purchase.ts',
    'OpenPurchase of store/purchases/purchase.ts',
    'PaidKind of store/payments/payment-record.ts',
    'PaymentProcessor of store/payments/payment-processor.ts',
    'PaymentRecord of store/payments/payment-record.ts',
    'PaymentTally of store/payments/payment-tally.ts',
    'ProofAnswer of store/wallet-proof/wallet-proof.ts',
    'ProofCall of store/wallet-proof/wallet-proof.ts',
    'ProofUse of store/wallet-proof/used-proofs.ts',
    'Purchase of store/purchases/purchase.ts',
    'PurchaseAnswer of store/purchases/purchases.ts',
    'PurchaseCall of store/purchases/purchases.ts',
    'PurchaseTerms of store/purchases/purchase.ts',
    'ReceiptSigner of store/payments/receipt-signer.ts',
    'SoldPlans of store/purchases/fulfillment.ts',
  ],
}

const listings = join(import.meta.dirname, 'api')

let built: string
let api: CompiledApi
const exported = new Map<string, Declared[]>()
beforeAll(() => {
  built = mkdtempSync(join(tmpdir(), 'asof-api-'))
  compileDeclarations(built)
  api = new CompiledApi(built)
  for (const { subpath, source } of subpaths) exported.set(subpath, api.exportsOf(source))
})
afterAll(() => rmSync(built, { recursive: true, force: true }))

const exportsOf = (subpath: string) => exported.get(subpath) ?? []

describe.each(subpaths)('what $subpath exports', ({ subpath, listing }) => {
  it('equals the listing (accept a change with --update)', async () => {
    const declarations = exportsOf(subpath).map(({ text }) => text)
    expect(declarations).not.toEqual([])
    await expect(`${declarations.join('\n\n')}\n`).toMatchFileSnapshot(join(listings, `${listing}.txt`))
  })

  it('names only types that are exported too', () => {
    const known = alone.has(subpath) ? exportsOf(subpath) : [...exported.values()].flat()
    const named = new Set(exportsOf(subpath).flatMap(declared => api.typesIn(declared)))
    for (const type of [...known.map(identity), ...Object.values(unnamed).flat()]) named.delete(type)
    expect([...named]).toEqual([])
  })

  it('is documented', () => {
    expect(
      exportsOf(subpath)
        .filter(({ comment }) => comment === '')
        .map(identity),
    ).toEqual([])
  })
})

it('every type that may be unnamed is named by a declaration and not exported', () => {
  const named = new Set([...exported.values()].flat().flatMap(declared => api.typesIn(declared)))
  expect(
    Object.values(unnamed)
      .flat()
      .filter(type => !named.has(type)),
  ).toEqual([])
})

it('every listing is that of a subpath', () => {
  expect(readdirSync(listings).sort()).toEqual(subpaths.map(({ listing }) => `${listing}.txt`).sort())
})
