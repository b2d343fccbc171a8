import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { x402Facilitator } from '@x402/core/facilitator'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { createWalletClient, http, nonceManager, publicActions } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import type { LocalChain } from './local-chain.ts'

type Operation = 'supported' | 'verify' | 'settle'

/** Answers instead of the facilitator; returns `undefined` to let the facilitator answer. `real` performs the operation. */
export type Misbehaviour = (
  operation: Operation,
  response: ServerResponse,
  real: () => Promise<object>,
) => Promise<void> | undefined

export interface TestFacilitator {
  url: string
  /** Sets how it misbehaves from now on; `undefined` makes it behave again. */
  misbehave(how: Misbehaviour | undefined): void
  /** The requested operations so far, with their tokens. */
  asked: { operation: Operation; token: string | undefined }[]
  close(): Promise<void>
}

interface Body {
  paymentPayload: Parameters<x402Facilitator['verify']>[0]
  paymentRequirements: Parameters<x402Facilitator['verify']>[1]
}

/** Starts an x402 facilitator over HTTP, with its own account. */
export async function startFacilitator(chain: LocalChain): Promise<TestFacilitator> {
  const account = privateKeyToAccount(generatePrivateKey(), { nonceManager })
  await chain.client.setBalance({ address: account.address, value: 10n ** 18n })
  const client = createWalletClient({
    account,
    chain: base,
    transport: http(chain.rpcUrl),
    pollingInterval: 50,
  }).extend(publicActions)
  const signer = toFacilitatorEvmSigner({
    address: account.address,
    readContract: call => client.readContract({ ...call, args: call.args ?? [] }),
    getCode: call => client.getCode(call),
    verifyTypedData: call => client.verifyTypedData(call as Parameters<typeof client.verifyTypedData>[0]),
    writeContract: call => client.writeContract({ ...call, chain: base }),
    sendTransaction: call => client.sendTransaction({ ...call, chain: base }),
    waitForTransactionReceipt: call => client.waitForTransactionReceipt(call),
  })
  const facilitator = new x402Facilitator().register('eip155:8453', new ExactEvmScheme(signer))
  const asked: TestFacilitator['asked'] = []
  let misbehaviour: Misbehaviour | undefined

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const operation = request.url!.slice(1) as Operation
    asked.push({ operation, token: request.headers.authorization })
    // Recorded first, because a misbehaving answer may exceed the client's time limit.
    const body = operation === 'supported' ? undefined : ((await json(request)) as Body)
    const real = async () =>
      operation === 'supported' || !body
        ? facilitator.getSupported()
        : await facilitator[operation](body.paymentPayload, body.paymentRequirements)
    const misbehaving = misbehaviour?.(operation, response, real)
    if (misbehaving) return await misbehaving
    const text = JSON.stringify(await real())
    response.setHeader('content-type', 'application/json').end(text)
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(500).end())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    misbehave: how => {
      misbehaviour = how
    },
    asked,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
