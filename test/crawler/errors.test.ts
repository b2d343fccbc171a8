import { expect, it } from 'vitest'
import { errorCodes, isAsofError } from '../../core/index.ts'
import { CrawlError, type CrawlErrorCode, crawlErrorCodes, isCrawlError } from '../../crawler/errors.ts'

it.each(Object.keys(crawlErrorCodes) as CrawlErrorCode[])('%s has the status and the retry rule of its table', code => {
  const error = new CrawlError(code, 'why', { cause: 'x', details: { url: 'y' } })
  expect(error).toMatchObject({ ...crawlErrorCodes[code], code, cause: 'x', details: { url: 'y' } })
  expect([isAsofError(error), isCrawlError(error, code)]).toEqual([true, true])
  expect(Object.keys(errorCodes)).not.toContain(code)
})
