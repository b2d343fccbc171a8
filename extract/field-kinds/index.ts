/** `@asof/extract/field-kinds`: the kinds of values that fields have. */
export { type FieldItem, type FieldKind, NoValue, RefusedValue, type StoredValue } from './field-kind.ts'
export {
  allKinds,
  fieldKinds,
  fieldTypes,
  formsInWords,
  kindOfItem,
  kindOfStored,
  kindsInWords,
} from './field-kinds.ts'
