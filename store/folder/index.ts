export type { PaymentSetup, RegionSettings } from './payment-folder.ts'
export { type PurchaseSetup, purchasesDir } from './purchase-folder.ts'
export { exportPaymentsOf, performPaymentAct, StoreFolder, type StoreSetup, storePart } from './store-folder.ts'
