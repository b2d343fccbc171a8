import path from 'node:path'
import { startChain } from '../store/payments/local-chain.ts'
import { type Buyer, buyPlan, type FolderShop, prepareBuyer, sellPlansOf } from '../system/folder-shop.ts'
import { examineSales } from '../system/running-seller.ts'

// A process that sells plans from the folder of its argument while it copies it, until its input ends. It prints lines of
// JSON: { status } of each purchase, and { breach } for each copy that has lost the plan of a buyer.

const BUYERS = 8
const dir = process.argv[2]!
const print = (line: { status: number } | { breach: string }) => process.stdout.write(`${JSON.stringify(line)}\n`)
let isAsked = true
process.stdin.once('end', () => (isAsked = false)).resume()

/** Makes backups, one after the other, until all sales have ended. @returns the folders of the copies. */
async function copyWhile(sales: Promise<unknown>, { folder }: FolderShop, home: string): Promise<string[]> {
  let isSelling = true
  void sales.then(() => (isSelling = false))
  const copies: string[] = []
  while (isSelling) {
    const copy = path.join(home, `copy-${copies.length}`)
    copies.push(copy)
    await folder.backup(copy, {})
  }
  return copies
}

const chain = await startChain()
for (let turn = 0; turn === 0 || isAsked; turn++) {
  const home = path.join(dir, String(turn))
  const shop = await sellPlansOf(path.join(home, 'shop'), chain)
  const buyers: Buyer[] = []
  for (let number = 0; number < BUYERS; number++) buyers.push(await prepareBuyer(shop, chain, number))
  const buyAll = async () => {
    for (const sale of buyers.map(buyer => buyPlan(shop, buyer))) print({ status: (await sale).status })
  }
  const copies = await copyWhile(buyAll(), shop, home)
  await shop.close()
  for (const copy of copies) {
    const { sound, problems, unfulfilled } = await examineSales(copy)
    if (!sound || unfulfilled.length > 0)
      print({ breach: `a copy has payments without their plans: ${[...problems, ...unfulfilled].join(', ')}` })
  }
}
await chain.close()
