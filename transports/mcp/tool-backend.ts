import {
  type Access,
  type AskedBy,
  answerOnAccount,
  type CallCharge,
  type Caller,
  type ChargedCall,
} from '../../service/accounts/index.ts'
import {
  type Answered,
  type CallName,
  type CallService,
  calls,
  type LinkedCall,
  type RequestOf,
  type ResponseOf,
  type Service,
} from '../../service/index.ts'
import type { Client } from '../client/index.ts'

/** Runs the tool calls of one caller. */
export interface ToolBackend {
  /** Returns true if this caller may make a call. The tools for other calls are not offered. */
  offers(name: CallName): boolean
  /** @throws ServiceError, AsofError or ClientError */
  answer<N extends CallName>(name: N, request: RequestOf<N>): Promise<ChargedCall<Answered<ResponseOf<N>>>>
  /** The checks of requests that their schemas can't make. Absent if a remote server makes them. */
  checks?: Pick<CallService, 'check'>
  /** The instant at which the index is sealed for this caller, epoch ms. Absent if the caller sees all. */
  sealedAt?: number | undefined
  /**
   * True to list every argument of the tools, not only those of the contract; calls may have them anyway. Default: if pages have fields.
   */
  listsAllArguments?: boolean | undefined
  /**
   * Returns true if pages have fields; asked after calls of a client that stays connected, which is then told that the list has changed.
   * Absent if each request has a backend of its own.
   */
  hasFields?: () => Promise<boolean>
}

/** Without a place to store it, nobody can give feedback. */
function takes({ takesFeedback }: Service): ToolBackend['offers'] {
  return name => name !== 'feedback' || takesFeedback
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
    offers: name => calls[name].callers !== 'keyed',
    answer: async (name, request) => ({ answer: await service.answer(name, request, call) }),
  }
}

/**
 * Answers a caller with a key, and charges its organization. Its calls throw ServiceError, also insufficient_credits.
 *
 * @param askedBy - the connection of the caller: a signal that cancels its calls, and whether an answer would come too late.
 */
export function keyedBackend(service: Service, access: Access, caller: Caller, askedBy: AskedBy): ToolBackend {
  const account = access.organizationAccount(caller)
  return {
    checks: service,
    sealedAt: service.sealedAt,
    offers: takes(service),
    answer: (name, request) => answerOnAccount(service, account, name, request, askedBy),
  }
}

/**
 * Answers the owner of the data folder, who needs no key and pays nothing.
 *
 * @param base - the address of the server of the folder, for links in citations. Default: they are relative.
 */
export function ownerBackend(service: Service, base?: string): ToolBackend {
  return {
    checks: service,
    sealedAt: service.sealedAt,
    offers: takes(service),
    answer: async (name, request) => ({ answer: await service.answer(name, request, { keyed: true, base }) }),
    hasFields: () => service.hasFields(),
  }
}

/** Answers from a remote server, which charges the key of `client`. Its calls throw ClientError. */
export function remoteBackend(client: Client): ToolBackend {
  let hasFields: boolean | undefined
  return {
    offers: () => true,
    answer: async (name, request) => {
      let charge: CallCharge | undefined
      const onUsage = (usage: CallCharge) => {
        charge = usage
      }
      const body = await client.call(name, request, { onUsage })
      return { answer: { body }, charge }
    },
    // Each question is a request to the server, so it is asked until it is answered once.
    hasFields: async () => {
      hasFields ??= (await client.fields({ max_examples: 0 })).fields.length > 0
      return hasFields
    },
  }
}

/** Which tools are offered besides search and fetch. */
export interface OfferedTools {
  /** Whether callers may rate results. Default true. */
  feedback?: boolean | undefined
  /** Whether callers may have quotes verified. Default false. */
  verify?: boolean | undefined
  /** Whether callers may ask for passages. Default false. */
  passages?: boolean | undefined
  /** True to list every argument of the tools, also those for fields of pages. Default: {@link ToolBackend.listsAllArguments}. */
  allArguments?: boolean | undefined
}

/** Returns a backend with the same answers, that offers only some of its tools. */
export function offering(
  backend: ToolBackend,
  { feedback = true, verify = false, passages = false, allArguments }: OfferedTools,
): ToolBackend {
  const chosen: Partial<Record<CallName, boolean>> = { feedback, verify, passages }
  return {
    ...backend,
    offers: name => chosen[name] !== false && backend.offers(name),
    listsAllArguments: allArguments ?? backend.listsAllArguments,
  }
}
