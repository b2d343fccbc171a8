import type { Access, CallCharge, CallContext, Caller } from '../../service/accounts/index.ts'
import { chargedCalls } from '../../service/accounts/index.ts'
import type {
  FeedbackRequest,
  FeedbackResponse,
  FetchRequest,
  FetchResponse,
  LinkedCall,
  RequestChecks,
  SearchRequest,
  SearchResponse,
  Service,
  VerifyRequest,
  VerifyResponse,
} from '../../service/index.ts'
import type { Client } from '../client/index.ts'

/** The answer to a tool call. */
export interface Answer<T> {
  response: T
  /** The charge of the call. Absent if the call is free. */
  charge?: CallCharge | undefined
}

/** Runs the tool calls of one caller. Its methods throw ServiceError, AsofError or ClientError. */
export interface ToolBackend {
  search(request: SearchRequest): Promise<Answer<SearchResponse>>
  fetch(request: FetchRequest): Promise<Answer<FetchResponse>>
  /** The checks of requests that their schemas can't make. Absent if a remote server makes them. */
  checks?: RequestChecks
  /** The instant at which the index is sealed for this caller, epoch ms. Absent if the caller sees all. */
  sealedAt?: number | undefined
  /** Stores feedback. Absent if this caller can't give feedback; the tool for feedback is then not offered. */
  feedback?: ((request: FeedbackRequest) => Promise<FeedbackResponse>) | undefined
  /**
   * True to list every argument of the tools, not only those of the contract; calls may have them anyway. Default: if pages have fields.
   */
  listsAllArguments?: boolean | undefined
  /**
   * Returns true if pages have fields; asked after calls of a client that stays connected, which is then told that the list has changed.
   * Absent if each request has a backend of its own.
   */
  hasFields?: () => Promise<boolean>
  /** Judges quotes. Absent if the tool that verifies quotes is not offered. */
  verify?: ((request: VerifyRequest) => Promise<Answer<VerifyResponse>>) | undefined
}

/**
 * Answers a caller without a key.
 *
 * @param call - the network of the caller, whose fair share the calls use, and a signal that cancels them.
 */
export function keylessBackend(
  service: Service,
  call: LinkedCall & { client: string; signal: AbortSignal },
): ToolBackend {
  return {
    checks: service,
    sealedAt: service.sealedAt,
    search: async request => ({ response: (await service.search(request, call)).response }),
    fetch: async request => ({ response: await service.fetch(request, call) }),
    verify: async request => ({ response: await service.verify(request, call) }),
  }
}

/**
 * Answers a caller with a key, and charges its organization.
 *
 * @param context - see `chargedCalls`.
 */
export function keyedBackend(service: Service, access: Access, caller: Caller, context: CallContext): ToolBackend {
  const calls = chargedCalls(service, access.organizationAccount(caller), context)
  const { id: organization, zdr } = caller.organization
  return {
    checks: service,
    sealedAt: service.sealedAt,
    search: async request => {
      const { answer, charge } = await calls.search(request)
      return { response: answer.response, charge }
    },
    fetch: async request => {
      const { answer, charge } = await calls.fetch(request)
      return { response: answer, charge }
    },
    verify: async request => {
      const { answer, charge } = await calls.verify(request)
      return { response: answer, charge }
    },
    feedback: service.takesFeedback ? request => service.feedback(request, { organization, zdr }) : undefined,
  }
}

/** The organization that is stored with feedback of the owner of a data folder. */
const OWNER = 'local'

/**
 * Answers the owner of the data folder, who needs no key and pays nothing.
 *
 * @param base - the address of the server of the folder, for links in citations. Default: they are relative.
 */
export function ownerBackend(service: Service, base?: string): ToolBackend {
  return {
    checks: service,
    sealedAt: service.sealedAt,
    search: async request => ({ response: (await service.search(request, { keyed: true, base })).response }),
    fetch: async request => ({ response: await service.fetch(request, { base }) }),
    verify: async request => ({ response: await service.verify(request) }),
    hasFields: () => service.hasFields(),
    feedback: service.takesFeedback
      ? request => service.feedback(request, { organization: OWNER, zdr: false })
      : undefined,
  }
}

/** Answers from a remote server, which charges the key of `client`. */
export function remoteBackend(client: Client): ToolBackend {
  async function ask<T>(call: (options: { onUsage: (usage: CallCharge) => void }) => Promise<T>): Promise<Answer<T>> {
    let charge: CallCharge | undefined
    const response = await call({
      onUsage: usage => {
        charge = usage
      },
    })
    return { response, charge }
  }
  let hasFields: boolean | undefined
  return {
    search: request => ask(options => client.search(request, options)),
    fetch: request => ask(options => client.fetch(request, options)),
    verify: request => ask(options => client.verify(request, options)),
    // Each question is a request to the server, so it is asked until it is answered once.
    hasFields: async () => {
      hasFields ??= (await client.fields({ max_examples: 0 })).fields.length > 0
      return hasFields
    },
    feedback: request => client.feedback(request),
  }
}

/** Which tools are offered besides search and fetch. */
export interface OfferedTools {
  /** Whether callers may rate results. Default true. */
  feedback?: boolean | undefined
  /** Whether callers may have quotes verified. Default false. */
  verify?: boolean | undefined
  /** True to list every argument of the tools, also those for fields of pages. Default: {@link ToolBackend.listsAllArguments}. */
  allArguments?: boolean | undefined
}

/** Returns a backend with the same answers, that offers only some of its tools. */
export function offering(
  backend: ToolBackend,
  { feedback = true, verify = false, allArguments }: OfferedTools,
): ToolBackend {
  return {
    ...backend,
    listsAllArguments: allArguments ?? backend.listsAllArguments,
    feedback: feedback ? backend.feedback : undefined,
    verify: verify ? backend.verify : undefined,
  }
}
