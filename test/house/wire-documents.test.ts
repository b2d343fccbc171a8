import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Errors } from 'mppx'
import { describe, expect, it } from 'vitest'
import { wireErrors } from '../../service/index.ts'
import { refusalOf } from '../../store/purchases/plan-challenges.ts'
import { documentOf, everything } from '../transports/http/openapi/described-server.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (page: string) => readFileSync(join(root, 'docs', page), 'utf8')

/** The rows of tables of errors: statuses, then a cell with the strings of `error`. */
function errorRows(page: string): { statuses: number[]; errors: string[] }[] {
  return [...read(page).matchAll(/^\| (\d{3}(?:, \d{3})*) \| (.*?) \|/gm)].map(([, statuses = '', cell = '']) => ({
    statuses: statuses.split(', ').map(Number),
    errors: [...cell.matchAll(/`([A-Za-z_ ]+)`/g)].map(([, error = '']) => error),
  }))
}

const rows = ['http-api.md', 'pay-per-request.md', 'agent-plans.md', 'advisor.md'].flatMap(errorRows)
const known: readonly { status: number; error: string }[] = Object.values(wireErrors)

describe('the tables of errors', () => {
  it('have a row for every error of the wire, with its status', () => {
    const isListed = ({ status, error }: { status: number; error: string }) =>
      rows.some(({ statuses, errors }) => statuses.includes(status) && errors.includes(error))
    expect(known.filter(each => !isListed(each))).toEqual([])
  })

  it('name only errors that the wire has', () => {
    // What is wrong with a payment is the `error` of its new offer.
    const other = /^(?:invalid_(?:payload|payment|exact|challenge)|payment_(?:already_used|expired)$)/
    const isKnown = (statuses: number[], error: string) =>
      known.some(each => each.error === error && statuses.includes(each.status))
    const unknown = rows.flatMap(({ statuses, errors }) =>
      errors.filter(error => !isKnown(statuses, error) && !other.test(error)),
    )
    expect(unknown).toEqual([])
  })
})

describe('the table of errors of a purchase', () => {
  it('has what can be wrong with a payment by MPP, as the reader of credentials names it', () => {
    const failures = [
      new Errors.PaymentExpiredError(),
      new Errors.InvalidChallengeError(),
      new Errors.InvalidPayloadError(),
    ]
    const named = [...failures, new TypeError('a field is malformed')].map(refusalOf)
    expect(new Set(named).size).toBe(4)
    const listed = errorRows('agent-plans.md').flatMap(({ statuses, errors }) => (statuses.includes(402) ? errors : []))
    for (const reason of [...named, 'payment_already_used']) expect(listed).toContain(reason)
  })
})

it('each path of the OpenAPI document is in a document', async () => {
  const pages = globSync('*.md', { cwd: join(root, 'docs') })
    .map(read)
    .join('\n')
  const { paths } = await documentOf(everything)
  expect(Object.keys(paths).filter(path => !pages.includes(path))).toEqual([])
})
