/** The SKUs of calls (spec part 1). */
export const skus = ['search.pro', 'search.realtime', 'fetch', 'fetch.live'] as const

/** What a call is billed as (spec part 1). */
export type Sku = (typeof skus)[number]

/** The kinds of calls that a plan can cover and a payment pays for. On the wire they are slugs of services (spec part 4). */
export const callKinds = ['search', 'fetch'] as const

/** The kind of a call that a plan can cover or a payment can pay for (spec part 4). */
export type CallKind = (typeof callKinds)[number]
