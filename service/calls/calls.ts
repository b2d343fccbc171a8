import type { z } from 'zod'
import type { Answered, CallContext, CallDefinition, Charge } from './call.ts'
import { capturesCall } from './captures.ts'
import { extractCall } from './extract.ts'
import { feedbackCall } from './feedback.ts'
import { fetchCall } from './fetch.ts'
import { fieldsCall } from './fields.ts'
import { historyCall } from './history.ts'
import { mapCall } from './map.ts'
import { pageCall } from './page.ts'
import { passagesCall } from './passages.ts'
import { searchCall } from './search.ts'
import { suggestCall } from './suggest.ts'
import { verifyCall } from './verify.ts'

/** A new call is a line here and a file. The routes of a way in have this order. */
const all = {
  search: searchCall,
  passages: passagesCall,
  map: mapCall,
  fetch: fetchCall,
  verify: verifyCall,
  extract: extractCall,
  history: historyCall,
  page: pageCall,
  feedback: feedbackCall,
  captures: capturesCall,
  fields: fieldsCall,
  suggest: suggestCall,
}

/** The name of a call, also in the paths of its routes. */
export type CallName = keyof typeof all

interface Requests extends Readonly<{ [N in CallName]: z.output<(typeof all)[N]['request']> }> {}
interface Inputs extends Readonly<{ [N in CallName]: z.input<(typeof all)[N]['request']> }> {}
interface Responses extends Readonly<{ [N in CallName]: z.output<(typeof all)[N]['response']> }> {}

/** A valid request, with defaults filled in. */
export type RequestOf<N extends CallName> = Requests[N]
/** A request as it is sent. Fields with a default may be left out. */
export type InputOf<N extends CallName> = Inputs[N]

/** The body of the answer to a call. */
export type ResponseOf<N extends CallName> = Responses[N]

/** The calls that cost something, unless they are made without a key. */
export type ChargedName = {
  [N in CallName]: (typeof all)[N] extends { charged: object } ? N : never
}[CallName]

/** Every call of the contract. */
export const calls: { readonly [N in CallName]: CallDefinition<RequestOf<N>, ResponseOf<N>> } = all

export const callNames = Object.keys(all) as readonly CallName[]

/** The calls that cost something. */
export const chargedCalls: {
  readonly [N in ChargedName]: { readonly charged: Charge<RequestOf<N>, ResponseOf<N>> }
} = all

/** Returns true for a call that costs something, unless it is made without a key. */
export function isCharged(name: CallName): name is ChargedName {
  return calls[name].charged !== undefined
}

/** Answers calls, here or by way of another server. Requests must have been validated by their schemas. */
export interface CallService<Name extends CallName = CallName> {
  answer<N extends Name>(name: N, request: RequestOf<N>, context?: CallContext): Promise<Answered<ResponseOf<N>>>
  /**
   * Checks a request before any work is done for it.
   *
   * @throws ServiceError invalid_request | address_refused - `details` names every invalid field.
   * @throws ServiceError zdr_wizards_unsupported
   */
  check<N extends Name>(name: N, request: RequestOf<N>, context?: CallContext): Promise<void>
}
