import { expect, it } from 'vitest'
import { ApiError, withoutPlace } from '../../../console/api/api-error.ts'

it('a failure about the only item of a list names its fields as if there were no list', () => {
  const problems = [
    { path: 'quotes[0].quote', reason: 'must have at least one word' },
    { path: 'quotes', reason: 'is too long' },
  ]
  const error = new ApiError('invalid_request', 400, { message: 'Wrong.', problems, requestId: 'r' })
  const named = withoutPlace(error, 'quotes[0].')
  expect(named.problems.map(({ path }) => path)).toEqual(['quote', 'quotes'])
  expect([named.failure, named.status, named.message, named.requestId]).toEqual(['invalid_request', 400, 'Wrong.', 'r'])
})
