import { expect, it } from 'vitest'
import { type CallName, callNames, calls } from '../../../service/calls/calls.ts'

const timed = callNames.filter(name => 'query_time' in calls[name].request.shape)

it.each(timed)('%s has query_time, so it can be asked as of an instant that another part of a request names', name => {
  expect(calls[name].past).toBeDefined()
})

it.each<CallName>(['feedback', 'captures'])('%s has no view of the past', name => {
  expect(calls[name].past).toBeUndefined()
})
