/** `asof/store/payments`: takes payments by x402, and loads the libraries of a chain for that. */
export type { PaymentLimits } from '../service/accounts/index.ts'
export {
  type CallerLocation,
  CountryDatabaseError,
  type FacilitatorSettings,
  type Hex,
  type Locate,
  type Network,
  openGeoDatabase,
  openPayments,
  PaymentLedger,
  type PaymentParts,
  type PaymentSettings,
  type Payments,
  type PaymentTerms,
  type RegionHeaders,
  type RegionSource,
  type SweepReport,
  type WalletSettings,
} from '../store/payments/index.ts'
