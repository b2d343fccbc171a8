import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { startChain } from '../../service/payments/local-chain.ts'
import { type Buyer, buyPlan, type FolderShop, prepareBuyer, sellPlansOf } from '../../system/folder-shop.ts'
import { examineSales } from '../../system/running-seller.ts'
import type { Attack } from '../attack.ts'

const BUYERS = 8

/** Makes backups, one after the other, until all sales have ended. @returns the folders of the copies. */
async function copyWhile(sales: Promise<unknown>, { folder }: FolderShop, dir: string): Promise<string[]> {
  let isSelling = true
  void sales.then(() => (isSelling = false))
  const copies: string[] = []
  while (isSelling) {
    const copy = path.join(dir, `copy-${copies.length}`)
    copies.push(copy)
    await folder.backup(copy, {})
  }
  return copies
}

/** Buys plans from another shop while its data folder is copied, and looks for buyers whose plan a copy has lost. */
export const attack: Attack = {
  name: 'backups while plans are bought',
  run: async ({ dir, signal, note, breach }) => {
    await mkdir(dir)
    const chain = await startChain()
    try {
      for (let turn = 0; turn === 0 || !signal.aborted; turn++) {
        const home = path.join(dir, String(turn))
        const shop = await sellPlansOf(path.join(home, 'shop'), chain)
        const buyers: Buyer[] = []
        for (let number = 0; number < BUYERS; number++) buyers.push(await prepareBuyer(shop, chain, number))
        const buyAll = async () => {
          for (const sale of buyers.map(buyer => buyPlan(shop, buyer))) note((await sale).status)
        }
        const copies = await copyWhile(buyAll(), shop, home)
        await shop.close()
        for (const copy of copies) {
          const { sound, problems, unfulfilled } = await examineSales(copy)
          if (!sound || unfulfilled.length > 0)
            breach(`a copy has payments without their plans: ${[...problems, ...unfulfilled].join(', ')}`)
        }
      }
    } finally {
      await chain.close()
    }
  },
}
