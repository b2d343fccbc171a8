export { type Advice, advise, type Market, type RateLimits } from './advise.ts'
export { refuseCredentials } from './credentials.ts'
export { guideUrl } from './guide-url.ts'
export {
  type QuoteRequest,
  type QuoteResponse,
  type QuoteStatus,
  quoteRequest,
  quoteResponse,
} from './quote.ts'
export { type Wording, wordingOf } from './wording.ts'
