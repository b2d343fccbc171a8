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

/** A call of a contract's function that changes nothing. */
export interface ContractCall {
  address: Hex
  abi: Abi | readonly unknown[]
  functionName: string
  args?: readonly unknown[] | undefined
}

/**
 * What is read from the node for one look at one payment. A question is asked once however often it is put, so whoever
 * knows what will be asked may ask it ahead; nothing is known to the next look.
 */
export class NodeReads {
  readonly #client: PublicClient
  readonly #answers = new Map<string, Promise<unknown>>()
  #outage: unknown

  constructor(client: PublicClient) {
    this.#client = client
  }

  /** Why the node could not be asked; `undefined` when it answered whatever it was asked. */
  get outage(): unknown {
    return this.#outage
  }

  /** The code of an account; `undefined` when it has none. @throws viem's error */
  codeOf(address: Hex): Promise<Hex | undefined> {
    return this.#once(`code ${address.toLowerCase()}`, () => this.#client.getCode({ address }))
  }

  /** What a function gives back, `undefined` for nothing. @throws viem's error - a call that reverts too. */
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
    // Whoever asked may never look at the answer: a rejection that nobody handles would end the process.
    answer.catch((error: unknown) => {
      if (isOutage(error)) this.#outage ??= error
    })
    return answer
  }
}
