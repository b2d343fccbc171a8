export { type StoreSettings, store } from './store-ways.ts'
