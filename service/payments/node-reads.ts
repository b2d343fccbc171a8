import {
  type Abi,
  type ContractFunctionArgs,
  type ContractFunctionName,
  decodeFunctionResult,
  encodeFunctionData,
  type PublicClient,
} from 'viem'
import { isOutage } from './chain.ts'
import type { Hex } from './payment-settings.ts'

/** A read-only call of a contract function. */
export interface ContractCall {
  address: Hex
  abi: Abi | readonly unknown[]
  functionName: string
  args?: readonly unknown[] | undefined
}

/**
 * Cached reads of the node for one verification of one payment. Equal reads are sent once, so reads that will be needed can
 * be started ahead. The cache is not shared between verifications.
 */
export class NodeReads {
  readonly #client: PublicClient
  readonly #answers = new Map<string, Promise<unknown>>()
  #outage: unknown

  constructor(client: PublicClient) {
    this.#client = client
  }

  /** The error if the node was not available; `undefined` if it answered all reads. */
  get outage(): unknown {
    return this.#outage
  }

  /** Returns the code of an account; `undefined` if it has none. @throws viem's error */
  codeOf(address: Hex): Promise<Hex | undefined> {
    return this.#once(`code ${address.toLowerCase()}`, () => this.#client.getCode({ address }))
  }

  /** Returns the result of a function; `undefined` if it has none. @throws viem's error - also if the call reverts. */
  async call({ address, abi, functionName, args = [] }: ContractCall): Promise<unknown> {
    const call = {
      abi: abi as Abi,
      functionName: functionName as ContractFunctionName,
      args: args as ContractFunctionArgs,
    }
    const data = encodeFunctionData(call)
    const result = await this.#once(`call ${address.toLowerCase()} ${data}`, () =>
      this.#client.call({ to: address, data }),
    )
    return decodeFunctionResult({ ...call, data: result.data ?? '0x' })
  }

  #once<T>(question: string, ask: () => Promise<T>): Promise<T> {
    const asked = this.#answers.get(question) as Promise<T> | undefined
    if (asked) return asked
    const answer = ask()
    this.#answers.set(question, answer)
    // The caller may ignore the promise, and an unhandled rejection would end the process.
    answer.catch((error: unknown) => {
      if (isOutage(error)) this.#outage ??= error
    })
    return answer
  }
}
