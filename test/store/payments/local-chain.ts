import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type Address,
  createTestClient,
  encodeFunctionData,
  type Hex,
  http,
  padHex,
  parseAbi,
  publicActions,
  TransactionReceiptNotFoundError,
  walletActions,
} from 'viem'
import { generatePrivateKey, mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import contracts from './fixtures/contracts.json' with { type: 'json' }

export const USDC: Address = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const MULTICALL: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'
const MNEMONIC = 'test test test test test test test test test test test junk'
/** Time between two looks for the block of a transaction, ms. */
const RECEIPT_EVERY_MS = 10
/** The private key of the second of anvil's well-known development accounts. */
export const SETTLER_KEY: Hex = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'

const token = parseAbi([
  'function mint(address to, uint256 value)',
  'function burnAll(address who)',
  'function setSettleBlocked(address from, bool blocked)',
  'function balanceOf(address who) view returns (uint256)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
])

export interface LocalChain {
  rpcUrl: string
  payTo: Address
  client: ReturnType<typeof clientOf>
  /** Creates a new account with some USDC; default one dollar. */
  payer(amount?: bigint): Promise<PrivateKeyAccount>
  /** Creates a contract wallet that a key owns, with a dollar of USDC. */
  contractWallet(owner: Address): Promise<Address>
  mint(to: Address, amount: bigint): Promise<void>
  balanceOf(who: Address): Promise<bigint>
  burnAll(who: Address): Promise<void>
  /** From now on, transfers signed by this payer pass every simulation but revert when they are sent. */
  blockSettling(payer: Address): Promise<void>
  isUsed(payer: Address, nonce: Hex): Promise<boolean>
  /** The number of transactions of the settling account in blocks. */
  settlements(): Promise<number>
  close(): Promise<void>
}

function clientOf(rpcUrl: string) {
  return createTestClient({
    mode: 'anvil',
    account: mnemonicToAccount(MNEMONIC),
    transport: http(rpcUrl),
    pollingInterval: 50,
  })
    .extend(publicActions)
    .extend(walletActions)
}

async function startNode(): Promise<{ rpcUrl: string; stop(): Promise<void> }> {
  const bin = path.join(
    path.dirname(createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json')),
    'bin.mjs',
  )
  const args = ['--host', '127.0.0.1', '--port', '0', '--chain-id', '8453']
  const child = spawn(process.execPath, [bin, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  const lines = createInterface({ input: child.stdout })
  const address = await new Promise<string>((resolve, reject) => {
    lines.on('line', line => {
      const listening = /^Listening on (\S+)$/.exec(line)?.[1]
      if (listening !== undefined) resolve(listening)
    })
    closed.then(() => reject(new Error('anvil ended before it listened')), reject)
  })
  return {
    rpcUrl: `http://${address}`,
    stop: async () => {
      child.kill('SIGTERM')
      await closed
    },
  }
}

/**
 * Waits for the block of a transaction. `waitForTransactionReceipt` of viem looks again only when another block comes, which on this chain
 * may be never.
 */
async function receiptOf(client: ReturnType<typeof clientOf>, hash: Hex) {
  for (;;) {
    const receipt = await client.getTransactionReceipt({ hash }).catch((error: unknown) => {
      if (!(error instanceof TransactionReceiptNotFoundError)) throw error
    })
    if (receipt) return receipt
    await delay(RECEIPT_EVERY_MS)
  }
}

/** Starts a local chain with the chain id of Base, a block for each transaction, and a token like USDC at its address. */
export async function startChain(): Promise<LocalChain> {
  const node = await startNode()
  const client = clientOf(node.rpcUrl)
  await client.setCode({ address: USDC, bytecode: contracts.TestToken as Hex })
  await client.setCode({ address: MULTICALL, bytecode: contracts.TestMulticall as Hex })
  // One at a time, because each uses the next nonce of the sending account.
  let tail: Promise<unknown> = Promise.resolve()
  const send = (data: Hex): Promise<void> => {
    const sent = tail.then(async () => {
      const hash = await client.sendTransaction({ chain: null, to: USDC, data })
      const { status } = await receiptOf(client, hash)
      if (status !== 'success') throw new Error('a transaction of the test failed')
    })
    tail = sent.catch(() => {})
    return sent
  }
  const mint = (to: Address, amount: bigint) =>
    send(encodeFunctionData({ abi: token, functionName: 'mint', args: [to, amount] }))
  const settler = privateKeyToAccount(SETTLER_KEY).address
  return {
    rpcUrl: node.rpcUrl,
    payTo: mnemonicToAccount(MNEMONIC, { addressIndex: 3 }).address,
    client,
    payer: async (amount = 1_000_000n) => {
      const account = privateKeyToAccount(generatePrivateKey())
      if (amount > 0n) await mint(account.address, amount)
      return account
    },
    contractWallet: async owner => {
      const { address } = privateKeyToAccount(generatePrivateKey())
      await client.setCode({ address, bytecode: contracts.TestWallet as Hex })
      await client.setStorageAt({ address, index: padHex('0x0', { size: 32 }), value: padHex(owner, { size: 32 }) })
      await mint(address, 1_000_000n)
      return address
    },
    mint,
    balanceOf: who => client.readContract({ address: USDC, abi: token, functionName: 'balanceOf', args: [who] }),
    burnAll: who => send(encodeFunctionData({ abi: token, functionName: 'burnAll', args: [who] })),
    blockSettling: payer =>
      send(encodeFunctionData({ abi: token, functionName: 'setSettleBlocked', args: [payer, true] })),
    isUsed: (payer, nonce) =>
      client.readContract({ address: USDC, abi: token, functionName: 'authorizationState', args: [payer, nonce] }),
    settlements: () => client.getTransactionCount({ address: settler }),
    close: node.stop,
  }
}
